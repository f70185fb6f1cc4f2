"""Pixel values of other types as bytes."""

import numpy as np

from acgan.errors import UserError

_ROUNDING = 1e-3  # how far resizing and float16 may carry a value past 1


def to_uint8(pixels, source):
    """Pixel values as uint8, 0..255.

    Arguments:
        pixels: an array of uint8 (returned as it is), of another integer type with values in
            0..255, of booleans (true is 255), or of floats: in 0..1 they are scaled to 0..255, in
            0..255 taken as they are, rounded either way.
        source: file or argument that an error begins with.

    Raises:
        UserError: for other types and ranges, with the range found.

    Example:
        to_uint8(np.array([0.0, 0.5, 1.0]), "x")  # [0, 128, 255]
    """
    if pixels.dtype == np.uint8:
        return pixels
    if pixels.dtype == bool:
        return pixels * np.uint8(255)
    if pixels.dtype.kind not in "iuf":
        raise UserError(
            f"{source}: pixels of type {pixels.dtype}: uint8, other integers or floats are accepted"
        )
    if pixels.dtype.kind == "f" and not np.isfinite(pixels).all():
        raise UserError(f"{source}: pixels that are NaN or infinite: replace them by numbers")
    low, high = pixels.min(initial=0), pixels.max(initial=0)
    if low < 0 or high > 255:
        accepted = "0..255" if pixels.dtype.kind in "iu" else "0..1 or 0..255"
        raise UserError(
            f"{source}: {pixels.dtype} pixels of {low:g}..{high:g}: scale them to {accepted}"
        )
    if pixels.dtype.kind == "f":
        # In float32 at least: 255 * x in float16 would be off by more than the rounding.
        pixels = pixels.astype(np.promote_types(pixels.dtype, np.float32))
        if high <= 1 + _ROUNDING:
            pixels = pixels.clip(0, 1) * 255
        pixels = np.rint(pixels)
    return pixels.astype(np.uint8)
