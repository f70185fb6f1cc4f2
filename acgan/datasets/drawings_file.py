"""One class of Quick, Draw! as a NumPy file: uint8 [count, 784]."""

import os

import numpy as np

PIXELS = 28 * 28
_HEADER_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_header(path):
    """What the beginning of a file says: (bytes before the first drawing, number of drawings).

    Raises:
        ValueError: says what it is if it is no NumPy file of drawings.
    """
    with open(path, "rb") as file:
        try:
            read = _HEADER_READERS[np.lib.format.read_magic(file)]
            shape, is_fortran_order, dtype = read(file)
        except (ValueError, KeyError) as error:
            raise ValueError("not a NumPy file") from error
        offset = file.tell()
    is_flat = len(shape) == 2 and shape[1] == PIXELS
    if dtype != np.uint8 or not is_flat or not shape[0] or is_fortran_order:
        raise ValueError(f"{dtype} {list(shape)} instead of uint8 [count, {PIXELS}]")
    return offset, shape[0]


def read_drawings(path, most=None):
    """The first drawings of a whole file, all by default: uint8 [count, 784], mapped from disk.

    Raises:
        ValueError: says what is wrong if the file isn't exactly as long as its header says.
    """
    offset, count = read_header(path)
    size, expected = os.path.getsize(path), offset + PIXELS * count
    if size != expected:
        raise ValueError(f"{size} bytes instead of {expected}")
    shape = (min(count, most or count), PIXELS)
    return np.memmap(path, np.uint8, "r", offset, shape)
