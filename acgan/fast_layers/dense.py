"""Dense layers in float32 whose weights oneDNN reads in a slow way."""

import math

import tensorflow as tf
from keras import ops

from callbacks import hardware

# With AVX2 alone, a forward product with longer rows of weights:
WAY = 512  # float32 numbers, half a page
PADDED_BATCHES = range(64, 512)  # batch sizes; slower at 32 with 512 units, and from 512 on
PADDING = 16  # numbers, a line of the cache

# With AVX-512, the inputs' gradient from turned gradients:
MANY = 1_000_000  # weights; a draw with a million
TURNED_BATCHES = range(16, 129)  # batch sizes; slower at 256 with 256 units, and from 512 on


def speed_up_dense(layer):
    """Makes a product of a `keras.layers.Dense` in float32 faster where its weights are many.

    oneDNN (TensorFlow 2.21) has a weak spot on either kind of CPU. With AVX2 it reads the weights
    as they lie, and those of one unit share a few places of the cache if a row of weights is a
    multiple of half a page: it then runs at half its rate. A copy with longer rows costs less. With
    AVX-512 it turns the weights for the gradient of the inputs, which takes longer than the product
    itself; the gradients of the outputs and of the inputs are turned instead. Left alone on a GPU.
    """
    machine = hardware.detect()
    if machine["device"] == "GPU":
        return
    if "avx512f" not in machine["cpu_features"]:
        if layer.units % WAY == 0:
            _multiply_by(_with_longer_rows, PADDED_BATCHES, layer)
    elif math.prod(layer.kernel.shape) >= MANY:
        _multiply_by(_with_turned_gradients, TURNED_BATCHES, layer)


def _multiply_by(product, batch_sizes, layer):
    plain = layer.call

    def call(inputs, training=None):
        kernel = tf.convert_to_tensor(layer.kernel)
        fits = len(inputs.shape) == 2 and inputs.shape[0] in batch_sizes
        if not fits or kernel.dtype != tf.float32:
            return plain(inputs, training=training)
        outputs = product(inputs, kernel)
        if layer.use_bias:
            outputs = ops.add(outputs, layer.bias)
        return layer.activation(outputs)

    layer.call = call


@tf.custom_gradient
def _with_longer_rows(inputs, kernel):
    def gradients(of_outputs):
        of_inputs = tf.matmul(of_outputs, kernel, transpose_b=True)
        return of_inputs, tf.matmul(inputs, of_outputs, transpose_a=True)

    units = kernel.shape[1]
    return tf.matmul(inputs, tf.pad(kernel, ((0, 0), (0, PADDING))))[:, :units], gradients


@tf.custom_gradient
def _with_turned_gradients(inputs, kernel):
    def gradients(of_outputs):
        of_inputs = tf.transpose(tf.matmul(kernel, of_outputs, transpose_b=True))
        return of_inputs, tf.matmul(inputs, of_outputs, transpose_a=True)

    return tf.matmul(inputs, kernel), gradients
