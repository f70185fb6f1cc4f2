"""Grey and colour."""

import numpy as np

from acgan.errors import UserError

# ITU-R BT.601, section 2.5.1: luma from red, green and blue.
LUMA = np.array([0.299, 0.587, 0.114], np.float32)
_BLOCK_BYTES = 1 << 24  # of colour pixels, which take four times as much while they become luma


def check_channels(present, wanted, source):
    """Refuses what `in_channels` can't do.

    Arguments:
        present, wanted: channels that images have and are to have.
        source: what has these images; errors begin with it.

    Raises:
        UserError: for other channel counts than 1 and 3, wanted or present.
    """
    if wanted not in (1, 3):
        raise UserError(f"channels={wanted} is neither 1 (grey) nor 3 (colour)")
    if present not in (wanted, 1, 3):
        raise UserError(f"{source}: images of {present} channels can't become {wanted}")


def in_channels(images, channels):
    """Images in grey or colour; as they are where they have that many channels.

    Colour becomes grey as ITU-R BT.601 luma, rounded; grey is repeated.

    Arguments:
        images: uint8 [count, height, width, 1 or 3].
        channels: 1 or 3.
    """
    if images.shape[-1] == channels:
        return images
    if channels == 3:
        return np.repeat(images, 3, axis=-1)
    grey = np.empty((*images.shape[:-1], 1), np.uint8)
    block = max(1, _BLOCK_BYTES // max(1, images[:1].size))
    for begin in range(0, len(images), block):
        rows = slice(begin, begin + block)
        grey[rows, ..., 0] = np.rint(images[rows] @ LUMA)
    return grey
