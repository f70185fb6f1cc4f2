"""Made-up images on disk, as many as one likes, as a user would bring them."""

import os
import shutil

import numpy as np

from acgan.datasets.npy_pair import IMAGES, LABELS
from acgan.errors import UserError

CHUNK = 5000  # images that differ; then they come again: what an image shows costs no time
LABEL_BYTES = 4


def write_pair(folder, count, image_shape, classes):
    """A new folder with `images.npy` and `labels.npy`; returns it.

    Arguments:
        folder: a `pathlib.Path`.
        count: images in all, at least as many as classes.
        image_shape: (height, width, channels).
        classes: a divisor of `CHUNK`.
    """
    folder.mkdir(parents=True)
    random = np.random.default_rng(0)
    images = random.integers(0, 256, (CHUNK, *image_shape), np.uint8)
    _write(folder / IMAGES, images, count)
    _write(folder / LABELS, (np.arange(CHUNK) % classes).astype(np.int32), count)
    return folder


def write_npz(path, pair):
    """An .npz file of the images of such a folder; returns its path."""
    np.savez(path, x=np.load(pair / IMAGES), y=np.load(pair / LABELS))
    return path


def megabytes(folder):
    """What the files in a folder weigh, in 10^6 bytes."""
    return sum(path.stat().st_size for path in folder.iterdir()) / 1e6


def check_room(folder, counts, image_shape):
    """Raises `UserError` if folders of so many images each don't fit into `folder` together."""
    needed = sum(counts) * (np.prod(image_shape) + LABEL_BYTES) / 1e6
    free = shutil.disk_usage(folder).free / 1e6
    if free < needed:
        raise UserError(
            f"--out={folder}: {needed:,.0f} MB are needed for images and {free:,.0f} MB are free: "
            "make room or choose another folder"
        )


def forget(pair):
    """Asks the system to drop what it holds in memory of a folder's files.

    Returns:
        Whether it can be asked. It may keep them all the same, as where the folder is in memory.
    """
    if not hasattr(os, "posix_fadvise"):
        return False
    for path in pair.iterdir():
        with open(path, "rb") as file:
            os.fsync(file.fileno())  # what isn't written yet would be kept
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return True


def _write(path, chunk, count):
    """An .npy file of `count` rows, those of `chunk` again and again.

    Not by `np.save`, which would need all of them in memory and says of a full disk only how many
    numbers it wrote.
    """
    header = np.lib.format.header_data_from_array_1_0(chunk)
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(file, {**header, "shape": (count, *chunk.shape[1:])})
        for first in range(0, count, len(chunk)):
            file.write(chunk[: count - first])
