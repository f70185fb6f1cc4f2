"""One image file as a square of pixels."""

import numpy as np

from acgan.datasets.pixels import to_uint8

# What a folder of images may hold; also formats that Pillow may lack, so that they aren't left out
# without a word.
SUFFIXES = {
    ".apng", ".avif", ".bmp", ".dib", ".gif", ".heic", ".heif", ".ico", ".jfif", ".jp2", ".jpe",
    ".jpeg", ".jpg", ".pbm", ".pgm", ".png", ".pnm", ".ppm", ".tga", ".tif", ".tiff", ".webp",
}  # fmt: skip
_DRAFT_FACTOR = 2  # how much larger than needed a JPEG is decoded, to leave Lanczos its share
_REDUCING_GAP = 3.0  # https://pillow.readthedocs.io: indistinguishable from 3.0 on, but faster


def read_square(path, side):
    """The centre square of an image: uint8 [side, side, 3], red, green, blue.

    Turned upright as EXIF says, cropped to the centre square, resized with antialiasing (Lanczos).
    Transparent parts become white, as on a page. Of several frames the first is taken. Grey of 16
    bits is scaled to 8; CMYK, palette and one-bit images become RGB.

    Raises:
        Exception: whatever Pillow's decoders raise for a file that can't be read.
    """
    from PIL import Image, ImageOps

    with Image.open(path) as image:
        # JPEG only: decodes at a half, a quarter or an eighth, never below what is asked for.
        image.draft(None, (_DRAFT_FACTOR * side, _DRAFT_FACTOR * side))
        image.load()
        image = _as_rgb(ImageOps.exif_transpose(image))
    width, height = image.size
    edge = min(width, height)
    left, top = (width - edge) // 2, (height - edge) // 2
    # Cropped first: a resize within a box takes pixels from outside it into its borders.
    square = image.crop((left, top, left + edge, top + edge))
    resized = square.resize((side, side), Image.Resampling.LANCZOS, reducing_gap=_REDUCING_GAP)
    return np.asarray(resized)


def _as_rgb(image):
    from PIL import Image

    transparent = None
    if image.mode[0] in "IF":  # 16 or 32 bits, integers or floats
        values = np.asarray(image)
        transparent = image.info.get("transparency")
        if transparent is not None:
            transparent = values == transparent
        image = Image.fromarray(_grey(values))
    elif image.has_transparency_data:
        image = image.convert("RGBA")
        page = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(page, image)
    image = image.convert("RGB")
    if transparent is not None:
        image.paste("white", mask=Image.fromarray(transparent))
    return image


def _grey(values):
    """uint8 from the values of a grey image of more than 8 bits."""
    if values.dtype.kind == "f":
        return to_uint8(values, "pixels")
    if values.min() < 0 or values.max() > 65535:
        raise ValueError(f"grey values of {values.min()}..{values.max()}, not 0..65535")
    return np.rint(values / 257).astype(np.uint8)  # 65535 / 257 = 255
