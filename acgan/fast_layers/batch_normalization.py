"""Batch normalization as one kernel."""

import keras
import tensorflow as tf
from keras import ops


def fuse_batch_normalization(layer):
    """Makes a `keras.layers.BatchNormalization` one kernel forward and one back, in training.

    Keras (3.15) spells it out in a dozen operations, and casts half precision to float32 before
    them: each reads and writes the whole batch, in float32. TensorFlow's kernel reads and writes
    half precision, computes in float32, and takes the activation behind it along where it can.

    Where the kernel doesn't serve, Keras' own computation stays: outside of training, with a mask,
    with renormalization, with statistics of several devices, without scale or center, and for
    inputs other than [batch, channels] and [batch, height, width, channels].
    """
    plain = layer.call
    if layer.renorm or layer.synchronized or not (layer.scale and layer.center):
        return

    def call(inputs, training=None, mask=None):
        rank = len(inputs.shape)
        fits = mask is None and rank in (2, 4) and layer.axis in (-1, rank - 1)
        if not (training and layer.trainable and fits):
            return plain(inputs, training=training, mask=mask)
        channels = inputs.shape[-1]
        images = inputs if rank == 4 else ops.reshape(inputs, (-1, 1, 1, channels))
        outputs, mean, variance, *_ = tf.raw_ops.FusedBatchNormV3(
            x=images,
            scale=layer.gamma.value,
            offset=layer.beta.value,
            mean=[],
            variance=[],
            epsilon=layer.epsilon,
            exponential_avg_factor=1.0,  # hands out the batch's own mean and variance
            is_training=True,
        )
        # The kernel's variance is an estimate of the population's, Keras keeps that of the batch.
        count = ops.cast(tf.size(images) // channels, "float32")
        _move(layer.moving_mean, mean, layer.momentum)
        _move(layer.moving_variance, variance * ((count - 1.0) / count), layer.momentum)
        outputs = outputs if rank == 4 else ops.reshape(outputs, (-1, channels))
        return ops.cast(outputs, layer.compute_dtype)

    layer.call = call


def _move(average: keras.Variable, value, momentum):
    average.assign(average * momentum + value * (1.0 - momentum))
