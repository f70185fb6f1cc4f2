"""A convolution with stride s and a kernel of side 2s, padded as "same", turned round on a CPU.

That is the images' gradient, which is also the transposed convolution, and the kernel's gradient.
TensorFlow (2.21, oneDNN) has kernels for both, of which some are slow; each gradient has other ways
here, and takes the one that was the fastest by channels, size, dtype and CPU.
"""

import math

import tensorflow as tf

from callbacks import hardware

FEW = 4  # channels; measured with 1 and 3, and as slow as TensorFlow's kernel at 8
FAST_FROM = {tf.float32: "avx512f", tf.bfloat16: "avx512_bf16"}  # what TensorFlow's kernels need
# Pixels of features up to which another way to a kernel's gradient is faster; at any, if not said.
MOST_PIXELS = {tf.float32: 16 * 16}  # at 32 * 32 it was slower
MOST_PIXELS_WHERE_FAST = {tf.float32: 0, tf.bfloat16: 10 * 10}


def _tensorflow_is_fast(dtype):
    return FAST_FROM.get(dtype) in hardware.detect()["cpu_features"]


def spread(features, kernel):
    """The transposed convolution: the images' gradient, by the features' gradient.

    Arguments:
        features: [batch, height, width, features].
        kernel: [2 s, 2 s, channels, features].

    Returns:
        Images [batch, s height, s width, channels].
    """
    if kernel.shape[2] <= FEW:
        return spread_by_blocks(features, kernel)
    if _tensorflow_is_fast(kernel.dtype):
        return _spread_by_tensorflow(features, kernel)
    return spread_by_phases(features, kernel)


def _spread_by_tensorflow(features, kernel):
    stride = kernel.shape[0] // 2
    _, height, width, _ = features.shape
    shape = (tf.shape(features)[0], stride * height, stride * width, kernel.shape[2])
    return tf.nn.conv2d_transpose(features, kernel, shape, stride, "SAME")


def spread_by_blocks(features, kernel):
    """`spread` for few channels: all pixels of a block at once.

    A pixel of the image lies under two by two features: of the kernel it meets every s-th row and
    column. So a convolution of 2 by 2 features gives all s by s pixels of a block at once, as its
    channels, and blocks are laid out as an image, of which half a block is cut off at the borders.
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
    """`spread` for many channels: no row and column of blocks too many, as `spread_by_blocks`.

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


def of_kernel(images, of_features, kernel):
    """The kernel's gradient.

    Arguments:
        images: [batch, s height, s width, channels].
        of_features: the features' gradient, [batch, height, width, features].
        kernel: [2 s, 2 s, channels, features].

    Returns:
        A tensor shaped as `kernel`. For few channels TensorFlow's kernel for float32 computes it,
        which is faster than that for half precision.
    """
    side, _, channels, _ = kernel.shape
    _, height, width, _ = of_features.shape
    fast = _tensorflow_is_fast(kernel.dtype)
    most = MOST_PIXELS_WHERE_FAST if fast else MOST_PIXELS
    if channels <= FEW:
        return _of_kernel_by_tensorflow(images, of_features, kernel, tf.float32)
    if height * width > most.get(kernel.dtype, math.inf):
        return _of_kernel_by_tensorflow(images, of_features, kernel, kernel.dtype)
    way = _of_kernel_by_products if fast else _of_kernel_by_convolution
    return way(images, of_features, side // 2)


def _of_kernel_by_tensorflow(images, of_features, kernel, dtype):
    stride = kernel.shape[0] // 2
    gradient = tf.raw_ops.Conv2DBackpropFilter(
        input=tf.cast(images, dtype),
        filter_sizes=kernel.shape,
        out_backprop=tf.cast(of_features, dtype),
        strides=[1, stride, stride, 1],
        padding="SAME",
    )
    return tf.cast(gradient, kernel.dtype)


def _of_kernel_by_convolution(images, of_features, stride):
    """A dilated convolution, with the batch as its channels: features lie a stride apart."""
    padding = (stride // 2, stride - stride // 2)
    gradient = tf.nn.conv2d(
        tf.transpose(images, (3, 1, 2, 0)),
        tf.transpose(of_features, (1, 2, 0, 3)),
        1,
        ((0, 0), padding, padding, (0, 0)),
        dilations=stride,
    )
    return tf.transpose(gradient, (1, 2, 0, 3))


def _of_kernel_by_products(images, of_features, stride):
    """Four products, one for each quarter of the kernel, which meets one block for each feature."""
    _, height, width, depth = of_features.shape
    channels = images.shape[3]
    padding = (stride // 2, stride - stride // 2)
    images = tf.pad(images, ((0, 0), padding, padding, (0, 0)))
    images = tf.reshape(images, (-1, height + 1, stride, width + 1, stride, channels))
    blocks = tf.reshape(
        tf.transpose(images, (0, 1, 3, 2, 4, 5)),
        (-1, height + 1, width + 1, stride * stride * channels),
    )
    of_features = tf.reshape(of_features, (-1, depth))

    def quarter(row, column):
        met = blocks[:, row : row + height, column : column + width]
        met = tf.reshape(met, (-1, stride * stride * channels))
        part = tf.matmul(met, of_features, transpose_a=True)
        return tf.reshape(part, (stride, stride, channels, depth))

    rows = [tf.concat([quarter(row, column) for column in (0, 1)], axis=1) for row in (0, 1)]
    return tf.concat(rows, axis=0)
