"""What identifies a data set's contents."""

import hashlib

import numpy as np

WHOLE_BYTES = 1 << 30  # of images that are hashed to the last pixel
SAMPLED = 1024  # images of a larger data set that are hashed
_BLOCK_BYTES = 1 << 24


def content_hash(images, labels):
    """64 hexadecimal digits (SHA-256) that follow from images, labels and shapes alone.

    The same for images in memory and in a file. Of more than 1 GiB of images 1024 count, at equal
    distances, the first and the last among them: to read 100 GB takes minutes. All labels and the
    number of images count in any case.

    Arguments:
        images: uint8 [count, side, side, channels], an array or a `StoredImages`.
        labels: int32 [count].
    """
    digest = hashlib.sha256()
    digest.update(f"{images.dtype.str}{images.shape}".encode())
    image_bytes = max(1, int(np.prod(images.shape[1:])))
    block = max(1, _BLOCK_BYTES // image_bytes)
    if len(images) * image_bytes <= WHOLE_BYTES:
        blocks = (slice(begin, begin + block) for begin in range(0, len(images), block))
    else:
        digest.update(f"{SAMPLED} images".encode())
        rows = np.linspace(0, len(images) - 1, SAMPLED).astype(np.int64)
        blocks = (rows[begin : begin + block] for begin in range(0, SAMPLED, block))
    for rows in blocks:
        digest.update(np.ascontiguousarray(images[rows]))
    digest.update(f"{labels.dtype.str}{labels.shape}".encode())
    digest.update(np.ascontiguousarray(labels))
    return digest.hexdigest()
