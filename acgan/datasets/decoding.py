"""Many image files at once."""

import os
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from acgan.datasets.image_file import read_square
from acgan.errors import UserError

_MOST_THREADS = 16  # each may hold one decoded image


def decode(paths, side):
    """Reads images as `image_file.read_square` says, in several threads.

    Arguments:
        paths: of the files.
        side: in pixels.

    Returns:
        uint8 [paths, side, side, 3], and a (path, reason) for each file that can't be read, whose
        pixels are 0.
    """
    pixels = np.empty((len(paths), side, side, 3), np.uint8)

    def read(index):
        try:
            pixels[index] = read_square(paths[index], side)
        except Exception as error:  # decoders raise all sorts for a broken file
            pixels[index] = 0
            return str(error) or type(error).__name__

    # Around the threads, because the filters are the process' own. Pillow warns of what it can
    # read all the same (a broken EXIF block), but of too many pixels it should not go on.
    with warnings.catch_warnings(), ThreadPoolExecutor(_threads()) as threads:
        warnings.simplefilter("ignore")
        _refuse_bombs()
        reasons = list(threads.map(read, range(len(paths))))
    return pixels, [(path, why) for path, why in zip(paths, reasons, strict=True) if why]


def has_colour(pixels):
    """Whether any of some RGB pixels is not grey."""
    return bool((pixels != pixels[..., :1]).any())


def refuse_broken(folder, broken):
    """Raises a `UserError` if there are any (path, reason) pairs as `decode` returns them."""
    if broken:
        count = "1 image" if len(broken) == 1 else f"{len(broken)} images"
        path, reason = broken[0]
        raise UserError(
            f"{folder}: {count} can't be read: {'first ' if len(broken) > 1 else ''}"
            f"{path} ({reason}): repair or remove"
        )


def _refuse_bombs():
    from PIL import Image

    warnings.simplefilter("error", Image.DecompressionBombWarning)


def _threads():
    return min(_MOST_THREADS, os.cpu_count() or 1)
