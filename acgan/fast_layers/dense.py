"""Dense layers whose weights' rows lie a multiple of a cache's way apart."""

import tensorflow as tf
from keras import ops

from callbacks import hardware

WAY = 512  # float32 numbers, half a page
BATCHES = range(64, 512)  # faster at each of them; slower at 32 with 512 units, and from 512 on
PADDING = 16  # numbers, a line of the cache


def speed_up_dense(layer):
    """Makes the product of a `keras.layers.Dense` in float32 faster where its units are many.

    With AVX2 oneDNN's product (TensorFlow 2.21) reads the weights as they lie, and those of one
    unit share a few places of the cache if a row of weights is a multiple of half a page: it then
    runs at half its rate. A copy with longer rows costs less than that. Left alone on a GPU and on
    CPUs with AVX-512, which have other products and where this was not measured.
    """
    machine = hardware.detect()
    if machine["device"] == "GPU" or "avx512f" in machine["cpu_features"] or layer.units % WAY:
        return
    plain = layer.call

    @tf.custom_gradient
    def product(inputs, kernel):
        def gradients(of_outputs):
            of_inputs = tf.matmul(of_outputs, kernel, transpose_b=True)
            return of_inputs, tf.matmul(inputs, of_outputs, transpose_a=True)

        longer = tf.pad(kernel, ((0, 0), (0, PADDING)))
        return tf.matmul(inputs, longer)[:, : layer.units], gradients

    def call(inputs, training=None):
        kernel = tf.convert_to_tensor(layer.kernel)
        fits = len(inputs.shape) == 2 and inputs.shape[0] in BATCHES and kernel.dtype == tf.float32
        if not fits:
            return plain(inputs, training=training)
        outputs = product(inputs, kernel)
        if layer.use_bias:
            outputs = ops.add(outputs, layer.bias)
        return layer.activation(outputs)

    layer.call = call
