"""Strided convolutions on CPUs, whose gradients run as forward convolutions."""

import tensorflow as tf
from keras import ops

FEW = 4  # channels; measured with 1 and 3, and as slow as TensorFlow's kernel at 8
MOST_PIXELS = (
    16 * 16
)  # of features, for `_of_kernel`'s own way in float32; at 32 * 32 it was slower


def speed_up_convolution(layer):
    """Makes the gradients of a `keras.layers.Conv2D` with a kernel of twice its stride faster.

    On CPUs TensorFlow's kernels (2.21, oneDNN) of a convolution's gradients are slower than that of
    its forward pass, and two to three times as slow as need be for images of few channels. Left
    alone on a GPU, where this was not measured, and wherever `_fits` says so.
    """
    if not _fits(layer):
        return
    plain = layer.convolution_op

    @tf.custom_gradient
    def convolution(images, kernel):
        def gradients(of_features):
            return _spread(of_features, kernel), _of_kernel(images, of_features, kernel)

        return tf.nn.conv2d(images, kernel, layer.strides, "SAME"), gradients

    def convolution_op(inputs, kernel):
        _, height, width, _ = inputs.shape
        stride = layer.strides[0]
        if height is None or width is None or height % stride or width % stride:
            return plain(inputs, kernel)
        return convolution(inputs, tf.convert_to_tensor(kernel))

    layer.convolution_op = convolution_op


def speed_up_transposed_convolution(layer):
    """The same for a `keras.layers.Conv2DTranspose`, whose forward pass is such a gradient."""
    if not _fits(layer) or layer.output_padding is not None:
        return
    plain = layer.call

    @tf.custom_gradient
    def transposed_convolution(features, kernel):
        def gradients(of_images):
            of_features = tf.nn.conv2d(of_images, kernel, layer.strides, "SAME")
            return of_features, _of_kernel(of_images, features, kernel)

        return _spread(features, kernel), gradients

    def call(inputs):
        if None in inputs.shape[1:]:
            return plain(inputs)
        images = transposed_convolution(inputs, tf.convert_to_tensor(layer.kernel))
        if layer.use_bias:
            images = ops.add(images, layer.bias)
        return layer.activation(images)

    layer.call = call


def _spread(features, kernel):
    way = spread if kernel.shape[2] <= FEW else spread_by_phases
    return way(features, kernel)


def spread(features, kernel):
    """The transposed convolution with stride s and a kernel of side 2s, padded as "same".

    A pixel of the image lies under two by two features: of the kernel it meets every s-th row and
    column. So a convolution of 2 by 2 features gives all s by s pixels of a block at once, as its
    channels, and blocks are laid out as an image, of which half a block is cut off at the borders.

    Arguments:
        features: [batch, height, width, features].
        kernel: [2 s, 2 s, channels, features].

    Returns:
        Images [batch, s height, s width, channels].
    """
    _, height, width, _ = features.shape
    side, _, channels, depth = kernel.shape
    stride = side // 2
    blocks = tf.reshape(kernel, (2, stride, 2, stride, channels, depth))
    blocks = tf.reverse(tf.transpose(blocks, (0, 2, 5, 1, 3, 4)), (0, 1))
    blocks = tf.reshape(blocks, (2, 2, depth, stride * stride * channels))
    images = tf.nn.conv2d(features, blocks, 1, ((0, 0), (1, 1), (1, 1), (0, 0)))
    images = tf.reshape(images, (-1, height + 1, width + 1, stride, stride, channels))
    images = tf.transpose(images, (0, 1, 3, 2, 4, 5))
    images = tf.reshape(images, (-1, stride * (height + 1), stride * (width + 1), channels))
    begin = stride // 2
    return images[:, begin : begin + stride * height, begin : begin + stride * width]


def spread_by_phases(features, kernel):
    """As `spread`, which computes a row and a column of blocks too many, for many channels.

    The pixels of one place in their blocks (a phase) are a convolution of 2 by 2 features, of which
    the image's border cuts some off on one side alone.
    """
    _, height, width, _ = features.shape
    side, _, channels, _ = kernel.shape
    stride = side // 2
    kernel = tf.transpose(kernel, (0, 1, 3, 2))
    rows = [
        tf.stack([_phase(features, kernel, y, x) for x in range(stride)], axis=3)
        for y in range(stride)
    ]
    return tf.reshape(tf.stack(rows, axis=2), (-1, stride * height, stride * width, channels))


def _phase(features, kernel, y, x):
    (rows, above), (columns, left) = (_met(place, kernel.shape[0] // 2) for place in (y, x))
    kernel = tf.gather(tf.gather(kernel, rows, axis=0), columns, axis=1)
    return tf.nn.conv2d(features, kernel, 1, ((0, 0), above, left, (0, 0)))


def _met(place, stride):
    """The kernel's rows that a pixel meets, by its place in its block, and the padding for it."""
    row = place + stride // 2
    if row < stride:  # it lies under the feature of the block before as well
        return (row + stride, row), (1, 0)
    return (row, row - stride), (0, 1)


def _of_kernel(images, of_features, kernel):
    """The gradient of a convolution's kernel, by its images and the gradient of its features.

    For many channels it is a convolution too, of images and features with the batch as their
    channels, in which the features lie a stride apart. In float32 that is faster than TensorFlow's
    kernel for small features alone, in half precision for large ones as well. For few channels
    TensorFlow's kernel for float32 computes, which is faster than that for half precision.
    """
    side, _, channels, _ = kernel.shape
    stride = side // 2
    _, height, width, _ = of_features.shape
    large = height * width > MOST_PIXELS and kernel.dtype == tf.float32
    if channels <= FEW or large:
        of_kernel = tf.raw_ops.Conv2DBackpropFilter(
            input=tf.cast(images, "float32"),
            filter_sizes=kernel.shape,
            out_backprop=tf.cast(of_features, "float32"),
            strides=[1, stride, stride, 1],
            padding="SAME",
        )
        return tf.cast(of_kernel, kernel.dtype)
    padding = (stride // 2, stride - stride // 2)
    of_kernel = tf.nn.conv2d(
        tf.transpose(images, (3, 1, 2, 0)),
        tf.transpose(of_features, (1, 2, 0, 3)),
        1,
        ((0, 0), padding, padding, (0, 0)),
        dilations=stride,
    )
    return tf.transpose(of_kernel, (1, 2, 0, 3))


def _fits(layer):
    """Whether `spread` computes a layer, or its gradient, and a CPU has to."""
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
