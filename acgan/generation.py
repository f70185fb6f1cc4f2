"""Images out of a generator."""

import numpy as np

from acgan.batched import in_batches

BATCH = 250


def generate_images(generator, latent, labels):
    """Runs a generator over any number of latent vectors.

    Arguments:
        generator: a generator's `keras.Model`.
        latent: float32 [count, latent_dim], values in -1..1.
        labels: int32 [count].

    Returns:
        uint8 [count, height, width, channels]. Values that are not a number become black.
    """
    (images,) = in_batches(generator, [np.asarray(latent), np.asarray(labels)], BATCH)
    return np.rint(np.nan_to_num(images, nan=0.0).clip(0, 1) * 255).astype(np.uint8)


def images_by_class(generator, latent, classes):
    """Images of every class from the same latent vectors, for a picture with a column a class.

    Arguments:
        generator: a generator's `keras.Model`.
        latent: float32 [rows, latent_dim].
        classes: int32 [classes], the class numbers.

    Returns:
        uint8 [rows, classes, height, width, channels].
    """
    rows, columns = len(latent), len(classes)
    images = generate_images(
        generator, np.repeat(latent, columns, axis=0), np.tile(classes, rows).astype(np.int32)
    )
    return images.reshape(rows, columns, *images.shape[1:])
