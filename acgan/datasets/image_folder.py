"""A user's own images: a folder with one folder of images a class."""

import os
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from acgan.datasets.dataset import ImageDataset
from acgan.datasets.image_file import SUFFIXES, read_square
from acgan.errors import UserError

_LAYOUT = "one folder of images a class is expected, such as {0}/cat/1.jpg and {0}/dog/1.jpg"
_MOST_THREADS = 16  # each may hold one decoded image


def load(folder, image_size, report):
    """The images of a folder: uint8 [count, image_size, image_size, 1 or 3].

    Classes are the folders in it, sorted by name; images are files with a usual suffix, in each
    such folder directly, sorted by name. Hidden files and folders are left out, other files too,
    with a report. Each image is read as `image_file.read_square` says. The images have 3 channels
    if any pixel has colour, else 1.

    Arguments:
        folder: a `pathlib.Path`.
        image_size: side in pixels, divisible by 4, at least 8.
        report: called with one line of text if files were left out.

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
    return ImageDataset(
        str(folder), _read(folder, files, image_size), np.array(labels, np.int32), names
    )


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
    """(images, others) in a folder, sorted; without hidden ones and the like."""
    files = sorted(
        path
        for path in folder.iterdir()
        if not path.name.startswith(".")
        and path.name.casefold() not in ("thumbs.db", "desktop.ini")
        and not path.is_dir()
    )
    images = [path for path in files if path.suffix.casefold() in SUFFIXES]
    return images, [path for path in files if path.suffix.casefold() not in SUFFIXES]


def _check_layout(folder, class_folder, images):
    nested = [path for path in _subfolders(class_folder) if _files(path)[0]]
    if nested:
        raise UserError(
            f"{nested[0]}: images one folder too deep: {_LAYOUT.format(folder)}; move them up, or "
            f"give {class_folder} as data set"
        )
    if not images:
        raise UserError(f"{class_folder}: no images in it: add some, or remove the folder")


def _read(folder, files, image_size):
    """uint8 [count, image_size, image_size, 1 or 3]."""
    pixels = np.empty((len(files), image_size, image_size, 3), np.uint8)

    def read(index):
        try:
            pixels[index] = read_square(files[index], image_size)
        except Exception as error:  # decoders raise all sorts for a broken file
            return str(error) or type(error).__name__

    # Around the threads, because the filters are the process' own. Pillow warns of what it can
    # read all the same (a broken EXIF block), but of too many pixels it should not go on.
    with warnings.catch_warnings(), ThreadPoolExecutor(_threads()) as threads:
        warnings.simplefilter("ignore")
        _refuse_bombs()
        reasons = list(threads.map(read, range(len(files))))
    broken = [index for index, reason in enumerate(reasons) if reason]
    if broken:
        count = "1 image" if len(broken) == 1 else f"{len(broken)} images"
        first = broken[0]
        raise UserError(
            f"{folder}: {count} can't be read: {'first ' if len(broken) > 1 else ''}"
            f"{files[first]} ({reasons[first]}): repair or remove"
        )
    grey = pixels[..., :1]
    return pixels if (pixels != grey).any() else np.ascontiguousarray(grey)


def _refuse_bombs():
    from PIL import Image

    warnings.simplefilter("error", Image.DecompressionBombWarning)


def _threads():
    return min(_MOST_THREADS, os.cpu_count() or 1)
