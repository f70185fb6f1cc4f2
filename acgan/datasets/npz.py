"""A user's own arrays."""

import zipfile
import zlib

import numpy as np

from acgan.datasets.dataset import ImageDataset
from acgan.datasets.image_shape import check_image_shape
from acgan.datasets.labels import to_class_names, to_labels
from acgan.datasets.pixels import to_uint8
from acgan.errors import UserError

_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    ValueError,
    NotImplementedError,
    MemoryError,  # of a damaged header
)
_NPY_MAGIC = b"\x93NUMPY"


def load(path):
    """The images of an `.npz` file, as `np.savez(path, x=..., y=..., class_names=...)` writes it.

    `x`: [count, side, side] or [count, side, side, channels], of the types that `pixels.to_uint8`
    takes. `y`: integers [count] or [count, 1], 0..classes-1, each present. `class_names`, optional:
    texts, one a class; otherwise the classes are called "0", "1", ... Nothing is ever unpickled.

    Arguments:
        path: a `pathlib.Path` to the file.

    Raises:
        UserError: for a file that can't be read or holds something else.
    """
    arrays = _read(path)
    for key in ("x", "y"):
        if key not in arrays:
            raise UserError(
                f"{path}: no array {key!r}, but {', '.join(arrays) or 'nothing'}: x (images) and y "
                "(labels) are needed"
            )
    images = _images(arrays["x"], path)
    labels = to_labels(arrays["y"], f"{path}: y")
    if len(images) != len(labels):
        raise UserError(f"{path}: {len(images)} images in x but {len(labels)} labels in y")
    names = _class_names(arrays.get("class_names"), int(labels.max()) + 1, path)
    return ImageDataset(str(path), images, labels, names)


def _read(path):
    with open(path, "rb") as file:
        if file.read(len(_NPY_MAGIC)) == _NPY_MAGIC:
            raise UserError(f"{path}: a single array (.npy): save x and y with np.savez")
        try:
            if not zipfile.is_zipfile(file):
                raise zipfile.BadZipFile("no zip archive, or its end is missing")
            file.seek(0)
            stored = np.load(file, allow_pickle=False)
            wanted = [key for key in stored.files if key in ("x", "y", "class_names")]
            return {key: _member(stored, key, path) for key in wanted or stored.files}
        except UserError:
            raise
        except _BROKEN as error:
            raise UserError(
                f"{path}: not a whole .npz file ({error}): write it again with np.savez"
            ) from error


def _member(stored, key, path):
    try:
        value = stored[key]
        if not isinstance(value, np.ndarray):
            raise ValueError(f"{key!r} is no array")
        return value
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise
        raise UserError(
            f"{path}: {key!r} is an object array, which is never unpickled: save it as numbers "
            "(x, y) or text (class_names) of one shape"
        ) from error


def _images(x, path):
    check_image_shape(x.shape, f"{path}: x")
    images = to_uint8(x, f"{path}: x")
    return images[..., None] if images.ndim == 3 else images


def _class_names(names, classes, path):
    if names is not None and (names.dtype.kind not in "US" or names.ndim != 1):
        raise UserError(
            f"{path}: class_names is {names.dtype} {list(names.shape)}: text is needed, one a class"
        )
    if names is not None and names.dtype.kind == "S":
        try:
            names = np.char.decode(names, "utf-8")
        except UnicodeDecodeError:
            raise UserError(f"{path}: class_names is not UTF-8: save it as text") from None
    return to_class_names(names, classes, f"{path}: class_names", "y")
