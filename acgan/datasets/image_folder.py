"""A user's own images: a folder with one folder of images a class."""

import os

import numpy as np

from acgan.datasets.dataset import ImageDataset
from acgan.datasets.decoded_file import load_decoded
from acgan.datasets.decoding import decode, has_colour, refuse_broken
from acgan.datasets.image_file import SUFFIXES
from acgan.errors import UserError

_LAYOUT = "one folder of images a class is expected, such as {0}/cat/1.jpg and {0}/dog/1.jpg"
LARGEST_IN_MEMORY_BYTES = 1 << 28  # of decoded colour images


def load(folder, image_size, cache_dir, report):
    """The images of a folder: uint8 [count, image_size, image_size, 1 or 3].

    Classes are the folders in it, sorted by name; images are files with a usual suffix, in each
    such folder directly, sorted by name. Hidden files and folders are left out, other files too,
    with a report. Each image is read as `image_file.read_square` says. The images have 3 channels
    if any pixel has colour, else 1.

    Up to 256 MiB of decoded images are held in memory; more are decoded once into a file in the
    cache and stay on disk, see `decoded_file.load_decoded`.

    Arguments:
        folder: a `pathlib.Path`.
        image_size: side in pixels, divisible by 4, at least 8.
        cache_dir: a `pathlib.Path`, for folders that are too large for memory.
        report: called with lines of text if files were left out, or decoding takes time.

    Raises:
        UserError: if a folder has no images, or folders of images in it, or an image can't be
            read: training on less than what was meant is worse.
    """
    if image_size < 8 or image_size % 4:
        raise UserError(f"image_size={image_size} is not divisible by 4, or below 8")
    class_folders = _subfolders(folder)
    if not class_folders:
        raise UserError(f"{folder}: no folders in it: {_LAYOUT.format(folder)}")
    files, labels, others = [], [], []
    for label, class_folder in enumerate(class_folders):
        images, ignored = _files(class_folder)
        _check_layout(folder, class_folder, images)
        files += images
        labels += [label] * len(images)
        others += ignored
    if others:
        report(f"{folder}: {len(others)} left out, not images by their suffix, such as {others[0]}")
    names = tuple(class_folder.name for class_folder in class_folders)
    if len(files) * image_size**2 * 3 > LARGEST_IN_MEMORY_BYTES:
        images = load_decoded(folder, files, image_size, cache_dir, report)
    else:
        images = _in_memory(folder, files, image_size)
    return ImageDataset(str(folder), images, np.array(labels, np.int32), names)


def _in_memory(folder, files, image_size):
    pixels, broken = decode(files, image_size)
    refuse_broken(folder, broken)
    return pixels if has_colour(pixels) else np.ascontiguousarray(pixels[..., :1])


def _subfolders(folder):
    """Folders in a folder, sorted; without hidden ones and links to a folder that it is in."""
    root = folder.resolve()
    return sorted(
        path
        for path in folder.iterdir()
        if not path.name.startswith((".", "__"))  # __MACOSX comes with archives
        and path.is_dir()
        and not root.is_relative_to(path.resolve())
    )


def _files(folder):
    """Paths of (images, others) in a folder, sorted; without hidden ones and the like."""
    with os.scandir(folder) as entries:
        files = sorted(
            entry.path
            for entry in entries
            if not entry.name.startswith(".")
            and entry.name.casefold() not in ("thumbs.db", "desktop.ini")
            and not _is_folder(entry)
        )
    images = [path for path in files if _suffix(path) in SUFFIXES]
    return images, [path for path in files if _suffix(path) not in SUFFIXES]


def _is_folder(entry):
    # A link's target may be itself, which only `os.path` bears.
    return os.path.isdir(entry.path) if entry.is_symlink() else entry.is_dir()


def _suffix(path):
    return os.path.splitext(path)[1].casefold()


def _check_layout(folder, class_folder, images):
    nested = [path for path in _subfolders(class_folder) if _files(path)[0]]
    if nested:
        raise UserError(
            f"{nested[0]}: images one folder too deep: {_LAYOUT.format(folder)}; move them up, or "
            f"give {class_folder} as data set"
        )
    if not images:
        raise UserError(f"{class_folder}: no images in it: add some, or remove the folder")
