"""Layers of Keras, computed by faster kernels.

What is replaced is how a layer that exists computes, not its class: it is saved as the plain Keras
layer that it is, and loads as one. What it computes stays the same, but for rounding.
"""

from keras import layers

from acgan.fast_layers.batch_normalization import fuse_batch_normalization
from acgan.fast_layers.convolution import speed_up_convolution, speed_up_transposed_convolution
from acgan.fast_layers.dense import speed_up_dense
from acgan.fast_layers.leaky_relu import keep_outputs_alone

FASTER = {
    layers.BatchNormalization: fuse_batch_normalization,
    layers.Conv2D: speed_up_convolution,
    layers.Conv2DTranspose: speed_up_transposed_convolution,
    layers.Dense: speed_up_dense,
    layers.LeakyReLU: keep_outputs_alone,
}


def with_fast_layers(network):
    """A network whose layers are computed by faster kernels wherever there are such.

    Arguments:
        network: a built `keras.Model`; changed in place. A class derived from one of Keras' layers
            is left alone, and so are the layers of a network within it.

    Returns:
        The network.
    """
    for layer in network.layers:
        if type(layer) in FASTER:
            FASTER[type(layer)](layer)
    return network
