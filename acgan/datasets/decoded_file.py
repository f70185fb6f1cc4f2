"""The decoded images of a folder that is too large for memory, kept in the cache."""

import hashlib
import os
import shutil
from pathlib import Path

import numpy as np

from acgan.datasets.decoding import decode, has_colour, refuse_broken
from acgan.datasets.download import writing
from acgan.datasets.folder_lock import locked
from acgan.datasets.stored_images import StoredImages
from acgan.errors import UserError
from callbacks.files import replacing

RECIPE = 1  # raised when other pixels are made of the same files
BLOCK_BYTES = 1 << 26  # of pixels that are decoded before they are written
_GB = 1e9


def load_decoded(folder, paths, side, cache_dir, report):
    """The images of some files: `StoredImages` [paths, side, side, 1 or 3].

    They are decoded once, block by block, into
    `<cache_dir>/folders/<name>-<hash of its path>-<side>/<hash of the files>.npy`. Files that are
    added, removed or changed, by name, size or time, are a new data set: the file of the new one
    takes the old one's place.

    Arguments:
        folder: what the user calls these files; errors begin with it.
        paths: of the files.
        side: in pixels.
        cache_dir: a `pathlib.Path`.
        report: called with lines of text while it takes time.

    Raises:
        UserError: if an image can't be read, or the cache has no room or can't be written.
    """
    # `folder` may be called by a relative path.
    place = hashlib.sha256(os.fsencode(Path(folder).resolve())).hexdigest()[:8]
    kept = cache_dir.expanduser() / "folders" / f"{Path(folder).resolve().name}-{place}-{side}"
    target = kept / f"{_listing_hash(folder, paths)[:32]}.npy"
    with locked(kept):  # another run may decode the same
        if not target.exists():
            for left in kept.glob(".*.part.npy"):  # by a process that was killed
                left.unlink(missing_ok=True)
            _decode_into(target, folder, paths, side, report)
            for other in kept.glob("*.npy"):
                if other != target:
                    other.unlink(missing_ok=True)
        mapped = np.load(target, mmap_mode="r")
        return StoredImages(target, mapped.shape, mapped.offset)


def _listing_hash(folder, paths):
    digest = hashlib.sha256(f"{RECIPE} {len(paths)}".encode())
    for path in paths:
        try:
            status = os.stat(path)
            stamp = f"{status.st_size} {status.st_mtime_ns}"
        except OSError:  # decoding will say what is wrong with it
            stamp = "-"
        digest.update(os.fsencode(os.path.relpath(path, folder)) + f"\0{stamp}\0".encode())
    return digest.hexdigest()


def _decode_into(target, folder, paths, side, report):
    report(f"{folder}: decoding {len(paths):,} images, once (they are kept in {target})")
    with writing(target), replacing(target) as partial:
        # In one channel, a third of the size, as long as no colour comes up.
        if not _decode_as(1, partial, folder, paths, side, report):
            _decode_as(3, partial, folder, paths, side, report)


def _decode_as(channels, partial, folder, paths, side, report):
    """Writes all images in 1 or 3 channels; in 1, false as soon as one has colour."""
    shape = (len(paths), side, side, channels)
    block = max(1, BLOCK_BYTES // (side * side * 3))
    broken, tenths = [], 0
    with open(partial, "wb") as file:
        _check_room(partial.parent, int(np.prod(shape)))
        header = {"descr": "|u1", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        for begin in range(0, len(paths), block):
            pixels, unread = decode(paths[begin : begin + block], side)
            broken += unread
            if channels == 1 and has_colour(pixels):
                return False
            file.write(np.ascontiguousarray(pixels[..., :channels]))
            done = min(begin + block, len(paths)) * 10 // len(paths)
            if tenths < done < 10:
                report(f"{folder}: {10 * done} % decoded")
            tenths = done
        refuse_broken(folder, broken)
        file.flush()
        os.fsync(file.fileno())
    return True


def _check_room(folder, needed_bytes):
    free_bytes = shutil.disk_usage(folder).free
    if needed_bytes > free_bytes:
        raise UserError(
            f"{folder}: {needed_bytes / _GB:.1f} GB of decoded images don't fit into the "
            f"{free_bytes / _GB:.1f} GB that are free: free space, choose another folder with "
            "--cache_dir, or a smaller --image_size"
        )
