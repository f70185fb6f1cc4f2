"""Strided convolutions on CPUs, whose gradients run as forward convolutions."""

import tensorflow as tf
from keras import ops

from acgan.fast_layers.strided import FEW, of_kernel, spread


def speed_up_convolution(layer):
    """Makes the gradients of a `keras.layers.Conv2D` with a kernel of twice its stride faster.

    On CPUs TensorFlow's kernels (2.21, oneDNN) of a convolution's gradients are slower than that of
    its forward pass, and two to three times as slow as need be for images of few channels; with
    AVX-512 most are fast, and `strided` takes them. Left alone on a GPU, where this was not
    measured, and wherever `_fits` says so.
    """
    if not _fits(layer):
        return
    plain, plain_call = layer.convolution_op, layer.call

    @tf.custom_gradient
    def convolution(images, kernel):
        def gradients(of_features):
            return spread(of_features, kernel), of_kernel(images, of_features, kernel)

        return tf.nn.conv2d(images, kernel, layer.strides, "SAME"), gradients

    def convolution_op(inputs, kernel):
        _, height, width, _ = inputs.shape
        stride = layer.strides[0]
        if height is None or width is None or height % stride or width % stride:
            return plain(inputs, kernel)
        return convolution(inputs, tf.convert_to_tensor(kernel))

    def call(inputs):
        if not layer.use_bias or inputs.shape[-1] > FEW or inputs.dtype != "float32":
            return plain_call(inputs)
        outputs = layer.convolution_op(inputs, layer.kernel)
        return layer.activation(_add_bias(outputs, tf.convert_to_tensor(layer.bias)))

    layer.convolution_op = convolution_op
    layer.call = call


@tf.custom_gradient
def _add_bias(features, bias):
    """Adds a bias whose gradient is a sum of its own.

    TensorFlow's kernel that finds it along with the gradient of a kernel for few channels takes
    longer than the two apart.
    """

    def gradients(of_outputs):
        return of_outputs, tf.reduce_sum(of_outputs, (0, 1, 2))

    return tf.nn.bias_add(features, bias), gradients


def speed_up_transposed_convolution(layer):
    """The same for a `keras.layers.Conv2DTranspose`, whose forward pass is such a gradient."""
    if not _fits(layer) or layer.output_padding is not None:
        return
    plain = layer.call

    @tf.custom_gradient
    def transposed_convolution(features, kernel):
        def gradients(of_images):
            of_features = tf.nn.conv2d(of_images, kernel, layer.strides, "SAME")
            return of_features, of_kernel(of_images, features, kernel)

        return spread(features, kernel), gradients

    def call(inputs):
        if None in inputs.shape[1:]:
            return plain(inputs)
        images = transposed_convolution(inputs, tf.convert_to_tensor(layer.kernel))
        if layer.use_bias:
            images = ops.add(images, layer.bias)
        return layer.activation(images)

    layer.call = call


def _fits(layer):
    """Whether `strided` computes a layer, or its gradient, and a CPU has to."""
    stride = layer.strides[0]
    return (
        not tf.config.list_physical_devices("GPU")
        and layer.strides == (stride, stride)
        and layer.kernel_size == (2 * stride, 2 * stride)
        and layer.padding == "same"
        and layer.data_format == "channels_last"
        and layer.dilation_rate in (1, (1, 1))
        and getattr(layer, "groups", 1) == 1
    )
