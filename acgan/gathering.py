"""Some images out of many, where TensorFlow makes batches."""

import tensorflow as tf


def gather(images, rows):
    """Images by number, in a graph or at once: uint8 [rows, height, width, channels].

    The images stay where they are, in memory or on disk: as a tensor they would be there twice.

    Arguments:
        images: uint8 [count, height, width, channels], an array or
            `acgan.datasets.stored_images.StoredImages`.
        rows: int64 [rows], 0..count-1.
    """
    # Not stateful: the same rows give the same images, and tf.data may make batches in parallel.
    found = tf.numpy_function(lambda numbers: images[numbers], [rows], tf.uint8, stateful=False)
    return tf.ensure_shape(found, (*rows.shape, *images.shape[1:]))
