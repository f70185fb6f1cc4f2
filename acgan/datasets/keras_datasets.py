"""Data sets that Keras downloads and keeps."""

import contextlib
import gzip
import os
import socket
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from acgan.datasets.dataset import ImageDataset
from acgan.datasets.download import TIMEOUT_S, by_hand
from acgan.errors import UserError

_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class Source:
    """Where `keras.datasets` (3.15) gets a data set from, and keeps it.

    `files`: (name at `url`, path below Keras' folder of data sets). `class_names`: in the order of
    the labels.
    """

    url: str
    files: tuple[tuple[str, str], ...]
    class_names: tuple[str, ...]


SOURCES = {
    # https://www.cs.toronto.edu/~kriz/cifar.html
    "cifar10": Source(
        "https://www.cs.toronto.edu/~kriz/",
        (("cifar-10-python.tar.gz", "cifar-10-batches-py-target_archive"),),
        (
            "airplane", "automobile", "bird", "cat", "deer",
            "dog", "frog", "horse", "ship", "truck",
        ),
    ),
    # https://github.com/zalandoresearch/fashion-mnist (MIT)
    "fashion_mnist": Source(
        "https://storage.googleapis.com/tensorflow/tf-keras-datasets/",
        tuple(
            (name, f"fashion-mnist/{name}")
            for name in (
                "train-labels-idx1-ubyte.gz",
                "train-images-idx3-ubyte.gz",
                "t10k-labels-idx1-ubyte.gz",
                "t10k-images-idx3-ubyte.gz",
            )
        ),
        (
            "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
            "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
        ),
    ),
}  # fmt: skip


def load(name):
    """The training images of a data set in `SOURCES`.

    CIFAR-10: uint8 [50000, 32, 32, 3], 0..255. Fashion-MNIST: uint8 [60000, 28, 28, 1], clothes
    bright on black. Keras downloads them once, test images included, and keeps them in
    `$KERAS_HOME/datasets` or `~/.keras/datasets`.

    Raises:
        UserError: for a failed download (names the address and where to put the file by hand) and
            for a damaged file (names it).
    """
    import keras

    try:
        with _default_timeout(TIMEOUT_S):
            (images, labels), _ = getattr(keras.datasets, name).load_data()
    except Exception as error:  # Keras raises bare `Exception` where a download fails
        raise _failure(name, error) from error
    if images.ndim == 3:
        images = images[..., None]
    labels = labels.reshape(-1).astype(np.int32)
    return ImageDataset(name, images, labels, SOURCES[name].class_names)


@contextlib.contextmanager
def _default_timeout(seconds):
    """A limit for Keras' downloads, which have none of their own and could wait for ever."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(seconds)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


def _failure(name, error):
    """The `UserError` for what `load_data` raised."""
    source, folder = SOURCES[name], _keras_folder() / "datasets"
    for remote, local in source.files:
        path = folder / local
        if not path.exists():
            reason = str(error).rpartition(" -- ")[2]
            return by_hand(source.url + remote, f"download failed ({reason})", path)
        # Keras checks no hash of these, but a gzip file holds a checksum of its own (RFC 1952).
        damage = _gzip_damage(path) if path.suffix == ".gz" else None
        if damage:
            return UserError(f"{path}: damaged ({damage}): delete it, and it is downloaded again")
    return UserError(
        f"{path.parent}: the files of {name} can't be read ({error}): delete them, and they are "
        "downloaded again"
    )


def _gzip_damage(path):
    """What is wrong with a gzip file, None if it is whole."""
    try:
        with gzip.open(path) as file:
            while file.read(_CHUNK_BYTES):
                pass
    except (OSError, EOFError, zlib.error) as error:
        return str(error)


def _keras_folder():
    """As `keras.utils.get_file` chooses it."""
    home = Path(os.environ.get("KERAS_HOME") or "~/.keras").expanduser()
    if os.access(home, os.W_OK):
        return home
    return Path("/tmp" if os.path.isdir("/tmp") else tempfile.gettempdir()) / ".keras"
