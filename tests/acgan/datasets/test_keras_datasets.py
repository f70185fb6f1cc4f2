"""Real calls of `keras.datasets`, with a Keras folder of the test's own.

They reach the network through a proxy address where nobody listens, so that downloads fail at once
with and without a network.
"""

import gzip

import keras
import numpy as np
import pytest

from acgan.datasets.keras_datasets import load
from acgan.errors import UserError


@pytest.fixture(autouse=True)
def own_keras_folder(tmp_path, closed_url, monkeypatch):
    # Keras reads the variable when it is imported, which may have been long ago.
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    monkeypatch.setattr("keras.src.backend.config._KERAS_DIR", str(tmp_path))
    monkeypatch.setenv("https_proxy", closed_url)


@pytest.fixture
def fashion_folder(tmp_path):
    """Files in the layout of Fashion-MNIST with 20 training images and 10 test images."""
    folder = tmp_path / "datasets" / "fashion-mnist"
    folder.mkdir(parents=True)
    for kind, count in (("train", 20), ("t10k", 10)):
        labels = (np.arange(count) % 10).astype(np.uint8)
        images = np.repeat(labels, 784)
        for name, header, values in (("labels-idx1", 8, labels), ("images-idx3", 16, images)):
            path = folder / f"{kind}-{name}-ubyte.gz"
            path.write_bytes(gzip.compress(bytes(header) + values.tobytes()))
    return folder


def test_without_network_address_and_file_are_named(tmp_path):
    with pytest.raises(UserError) as caught:
        load("cifar10")
    line = str(caught.value)
    assert line.startswith(
        "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz: download failed ("
    )
    path = tmp_path / "datasets" / "cifar-10-batches-py-target_archive"
    assert line.endswith(f"put that file by hand at {path}")


def test_a_broken_archive_put_there_by_hand_is_downloaded_anew(tmp_path):
    path = tmp_path / "datasets" / "cifar-10-batches-py-target_archive"
    path.parent.mkdir()
    path.write_bytes(b"half an archive")
    with pytest.raises(UserError, match=r"kriz/cifar-10-python\.tar\.gz: download failed"):
        load("cifar10")


def test_the_file_that_is_missing_is_the_one_named(fashion_folder):
    path = fashion_folder / "t10k-labels-idx1-ubyte.gz"
    path.unlink()
    with pytest.raises(UserError) as caught:
        load("fashion_mnist")
    assert "tf-keras-datasets/t10k-labels-idx1-ubyte.gz: download failed" in str(caught.value)
    assert str(caught.value).endswith(f"put that file by hand at {path}")


def test_files_put_there_by_hand_are_used(fashion_folder):
    dataset = load("fashion_mnist")
    assert dataset.images.shape == (20, 28, 28, 1) and dataset.images.dtype == np.uint8
    assert dataset.images[:, 27, 27, 0].tolist() == [*range(10), *range(10)]
    assert dataset.labels.dtype == np.int32
    assert dataset.labels.tolist() == [*range(10), *range(10)]
    assert dataset.class_names[0] == "T-shirt/top" and dataset.class_names[9] == "Ankle boot"


@pytest.mark.parametrize("name", ["train-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"])
def test_a_truncated_file_is_named(fashion_folder, name):
    path = fashion_folder / name
    path.write_bytes(path.read_bytes()[:-6])
    with pytest.raises(UserError) as caught:
        load("fashion_mnist")
    assert str(caught.value).startswith(f"{path}: damaged (")
    assert str(caught.value).endswith("delete it, and it is downloaded again")


def test_files_that_do_not_fit_together_are_named(fashion_folder):
    path = fashion_folder / "train-labels-idx1-ubyte.gz"
    path.write_bytes(gzip.compress(bytes(8 + 7)))
    with pytest.raises(UserError, match=r"fashion-mnist.*cannot reshape.*delete"):
        load("fashion_mnist")


def test_cifar10_becomes_a_dataset(monkeypatch):
    images = np.arange(20 * 32 * 32 * 3).reshape(20, 32, 32, 3).astype(np.uint8)
    labels = (np.arange(20) % 10).astype(np.uint8)[:, None]
    monkeypatch.setattr(keras.datasets.cifar10, "load_data", lambda: ((images, labels), None))
    dataset = load("cifar10")
    assert (dataset.images == images).all()
    assert dataset.labels.dtype == np.int32 and dataset.labels[:3].tolist() == [0, 1, 2]
    assert dataset.class_names[:3] == ("airplane", "automobile", "bird")
