"""A user's own arrays that may be larger than memory: a folder with two `.npy` files."""

import numpy as np

from acgan.datasets.dataset import ImageDataset
from acgan.datasets.image_shape import check_image_shape
from acgan.datasets.labels import to_class_names, to_labels
from acgan.datasets.stored_images import StoredImages
from acgan.errors import UserError

IMAGES, LABELS, NAMES = "images.npy", "labels.npy", "class_names.txt"


def is_npy_pair(folder):
    """Whether a folder holds arrays and not images; one of the two is enough."""
    return any((folder / name).exists() for name in (IMAGES, LABELS))


def load(folder):
    """The images of `images.npy` with the labels of `labels.npy`, as `np.save` writes them.

    `images.npy`: uint8 [count, side, side] or [count, side, side, channels]; it stays on disk and
    is read batch by batch. `labels.npy`: integers [count] or [count, 1], 0..classes-1, each
    present. `class_names.txt`, optional: a name a line in UTF-8; otherwise the classes are called
    "0", "1", ... Nothing is ever unpickled.

    Arguments:
        folder: a `pathlib.Path`.

    Raises:
        UserError: for a file that is missing, can't be read or holds something else.
    """
    for name, what in ((IMAGES, "images"), (LABELS, "labels")):
        if not (folder / name).exists():
            raise UserError(
                f"{folder}: no {name} in it: save the {what} with "
                f"np.save({str(folder / name)!r}, {what})"
            )
    images = _images(folder / IMAGES)
    labels = to_labels(_mapped(folder / LABELS), str(folder / LABELS))
    if len(images) != len(labels):
        raise UserError(
            f"{folder}: {len(images)} images in {IMAGES} but {len(labels)} labels in {LABELS}"
        )
    names = to_class_names(
        _names(folder / NAMES), int(labels.max()) + 1, str(folder / NAMES), LABELS
    )
    return ImageDataset(str(folder), images, np.asarray(labels), names)


def _images(path):
    array = _mapped(path)
    check_image_shape(array.shape, str(path))
    if array.dtype != np.uint8:
        conversion = {"f": "np.rint(255 * x)", "b": "255 * x"}.get(array.dtype.kind, "x")
        unit = " (for x in 0..1)" if array.dtype.kind == "f" else ""
        raise UserError(
            f"{path} is {array.dtype}, and only bytes are read from disk as they are: save "
            f"({conversion}).astype('uint8'){unit}"
        )
    if not array.flags.c_contiguous:
        raise UserError(
            f"{path} is in Fortran's order, its pixels not image by image: save "
            "np.ascontiguousarray(x)"
        )
    shape = array.shape if array.ndim == 4 else (*array.shape, 1)
    return StoredImages(path, shape, array.offset)


def _mapped(path):
    """The array of a file, mapped: nothing is read yet but what it says of itself."""
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
        if not isinstance(array, np.memmap):
            raise ValueError("an archive")
        return array
    except (ValueError, EOFError, MemoryError) as error:  # MemoryError of a damaged header
        if "Python objects" in str(error):
            raise UserError(
                f"{path} is an object array, which is never unpickled: save it as numbers of one "
                "shape"
            ) from error
        raise UserError(
            f"{path}: not a whole .npy file ({error}): write it again with np.save"
        ) from error
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from error


def _names(path):
    """Lines of text, None without the file."""
    try:
        return path.read_text(encoding="utf-8-sig").rstrip().splitlines()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8: save it as text in UTF-8") from None
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from error
