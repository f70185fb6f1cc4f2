"""Images in a file, read as they are asked for."""

import copy
import os
import weakref

import numpy as np

from acgan.datasets.channels import in_channels
from acgan.errors import UserError


class StoredImages:
    """Images that stay on disk, to be indexed like an array of them.

    `images[rows]`, with a slice or an array of whole numbers, reads these images and no others:
    uint8 [rows, side, side, channels], in the order asked for. The file stays open; if it is
    removed or replaced, the images that it held are still read. Several threads may read at once.

    Read and not mapped into memory, which would be no faster: a process whose mapped file gets
    shorter or fails is killed (SIGBUS), a read that fails is an error.

    Arguments:
        path: the file: images one after the other, each of uint8 [side, side, channels].
        shape: (count, side, side, channels).
        offset: bytes before the first image.

    Attributes:
        shape, dtype, ndim: as an array has them.
        failure: the latest error that a read raised, also in another thread; None without one.

    Raises:
        UserError: by `images[rows]`, if the file can't be read any more or has become shorter.

    Example:
        images = StoredImages("pixels.bin", (1000, 64, 64, 3))
        images[[7, 2]].shape  # (2, 64, 64, 3)
    """

    dtype = np.dtype(np.uint8)
    ndim = 4

    def __init__(self, path, shape, offset=0):
        self.shape = tuple(map(int, shape))
        self._file = _OpenFile(path, offset)
        self._stored_shape = self.shape[1:]  # of an image
        self._rows = None  # where in the file each image is, None for one after the other

    def __len__(self):
        return self.shape[0]

    @property
    def failure(self):
        return self._file.failure

    def __getitem__(self, rows):
        if isinstance(rows, slice):
            rows = np.arange(*rows.indices(len(self)))
        rows = np.asarray(rows)
        if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
            raise TypeError(f"{rows.dtype} {list(rows.shape)} is neither a slice nor whole numbers")
        if rows.size and not 0 <= rows.min() <= rows.max() < len(self):
            raise IndexError(f"{rows.min()}..{rows.max()} is not within 0..{len(self) - 1}")
        images = self._read(rows if self._rows is None else self._rows[rows])
        return in_channels(images, self.shape[-1])

    def selected(self, rows):
        """Only some of these images, by an array of whole numbers; nothing is read."""
        view = copy.copy(self)
        view._rows = np.asarray(rows) if self._rows is None else self._rows[rows]
        view.shape = (len(view._rows), *self.shape[1:])
        return view

    def in_channels(self, channels):
        """These images in grey (1) or colour (3), turned into it when they are read."""
        view = copy.copy(self)
        view.shape = (*self.shape[:-1], channels)
        return view

    def _read(self, rows):
        images = np.empty((len(rows), *self._stored_shape), np.uint8)
        if not images.size:
            return images
        pixels = memoryview(images).cast("B")
        size = len(pixels) // len(rows)
        if (np.diff(rows) == 1).all():
            self._file.read_into(pixels, int(rows[0]) * size)
            return images
        order = np.argsort(rows)  # as the file has them, each to the place where it was asked for
        for place, row in zip((order * size).tolist(), rows[order].tolist(), strict=True):
            self._file.read_into(pixels[place : place + size], row * size)
        return images


class _OpenFile:
    """A file that is open as long as anything refers to this."""

    def __init__(self, path, offset):
        self.path = path
        self.offset = offset
        self.failure = None
        self.descriptor = os.open(path, os.O_RDONLY)
        # Not at exit, when the threads of a pipeline may still read.
        weakref.finalize(self, os.close, self.descriptor).atexit = False

    def read_into(self, rest, position):
        """Fills a memoryview of bytes with those from a position of the pixels on."""
        position += self.offset
        while rest:
            try:
                received = os.preadv(self.descriptor, (rest,), position)
            except OSError as error:
                raise self._refusal(error.strerror) from error
            if not received:
                raise self._refusal("it has become shorter")
            rest, position = rest[received:], position + received

    def _refusal(self, reason):
        self.failure = UserError(
            f"{self.path}: can't be read any more ({reason}): put it back as it was, then a run "
            "goes on with --resume"
        )
        return self.failure
