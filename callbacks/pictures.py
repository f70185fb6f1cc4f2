"""Pictures of images by class: one column a class, its name above."""

import numpy as np

from callbacks.files import replacing

MARGIN = 2  # pixels between images
MINIMUM_CELL = 64  # pixels; smaller images are enlarged, so that names and strokes can be read
PAPER, INK = 255, 60  # grey levels of the background and of the names


def class_columns(images, names):
    """Draws rows of images, one column a class.

    Arguments:
        images: uint8 [rows, classes, height, width, channels]; see `visible`.
        names: a name for each class.

    Returns:
        uint8 [height, width, 3], enlarged by a whole factor, so that no pixel is invented.
    """
    from PIL import Image, ImageDraw, ImageFont

    images = visible(images)
    rows, columns, height, width, channels = images.shape
    scale = max(1, -(-MINIMUM_CELL // height))
    images = images.repeat(scale, axis=2).repeat(scale, axis=3)
    if channels == 1:
        images = images.repeat(3, axis=-1)
    font = ImageFont.load_default(size=max(11, height * scale // 6))
    header = int(font.size * 1.6)
    cell_height, cell_width = height * scale + MARGIN, width * scale + MARGIN
    shape = (header + rows * cell_height, MARGIN + columns * cell_width, 3)
    sheet = np.full(shape, PAPER, np.uint8)
    for row in range(rows):
        for column in range(columns):
            top, left = header + row * cell_height, MARGIN + column * cell_width
            sheet[top : top + height * scale, left : left + width * scale] = images[row, column]
    picture = Image.fromarray(sheet)
    pen = ImageDraw.Draw(picture)
    for column, name in enumerate(names):
        center = MARGIN + column * cell_width + (cell_width - MARGIN) / 2
        text = _fitting(name, font, cell_width - MARGIN)
        pen.text((center, header / 2), text, (INK,) * 3, font, anchor="mm")
    return np.asarray(picture)


def visible(images):
    """The channels that a picture shows: of 3 and more the first three, else the first one."""
    return images[..., : 3 if images.shape[-1] >= 3 else 1]


def save_png(pixels, path):
    """Writes uint8 [height, width, channels] as PNG, see `visible`; a file is replaced at once."""
    from PIL import Image

    pixels = visible(pixels)
    with replacing(path) as partial:
        Image.fromarray(pixels[..., 0] if pixels.shape[-1] == 1 else pixels).save(partial, "PNG")


def _fitting(name, font, width):
    name = name[:200]
    if font.getlength(name) <= width:
        return name
    while name and font.getlength(name + "…") > width:
        name = name[:-1]
    return name + "…"
