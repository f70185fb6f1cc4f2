"""Reads back the single images of a run's picture of samples."""

import numpy as np
from PIL import Image

from callbacks.pictures import MARGIN, MINIMUM_CELL


def read_samples(path, classes, image_shape):
    """The images that `callbacks.pictures.class_columns` drew, in their own size.

    Arguments:
        path: the picture.
        classes: how many columns it has.
        image_shape: height, width and channels of an image.

    Returns:
        uint8 [rows, classes, height, width, 3], or None if the file is not such a picture.
    """
    try:
        with Image.open(path) as picture:
            pixels = np.asarray(picture.convert("RGB"))
    except (OSError, ValueError, Image.DecompressionBombError):
        return None
    height, width, _ = image_shape
    scale = max(1, -(-MINIMUM_CELL // height))
    cell_height, cell_width = height * scale + MARGIN, width * scale + MARGIN
    rows, header = divmod(pixels.shape[0], cell_height)  # the names take less than a row
    if pixels.shape[1] != MARGIN + classes * cell_width or not rows:
        return None
    cells = pixels[header:, MARGIN:].reshape(rows, cell_height, classes, cell_width, 3)
    return cells.swapaxes(1, 2)[:, :, : height * scale : scale, : width * scale : scale]
