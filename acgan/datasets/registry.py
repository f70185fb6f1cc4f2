"""Data sets by name or path."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from acgan.datasets import image_folder, keras_datasets, mnist5k, npy_pair, npz, quickdraw
from acgan.datasets.class_selection import near_misses
from acgan.errors import UserError


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a loader may need to know; see `load`."""

    classes: tuple | None
    images_per_class: int
    cache_dir: Path
    report: Callable[[str], None]


LOADERS = {
    "mnist5k": lambda options: mnist5k.load(),
    "quickdraw": lambda options: quickdraw.load(
        options.classes, options.images_per_class, options.cache_dir, report=options.report
    ),
    "cifar10": lambda options: keras_datasets.load("cifar10"),
    "fashion_mnist": lambda options: keras_datasets.load("fashion_mnist"),
}
NAMES = tuple(LOADERS)
_PATHS = (
    "an .npz file with x and y, a folder with images.npy and labels.npy, or a folder with one "
    "folder of images a class"
)


def default_cache_dir():
    """`$XDG_CACHE_HOME/acgan` or `~/.cache/acgan`, a `pathlib.Path`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "acgan"


def load(
    name,
    *,
    classes=None,
    images_per_class=10_000,
    image_size=64,
    channels=None,
    cache_dir=None,
    report=lambda line: print(line, file=sys.stderr),
):
    """The images of a data set, training split.

    They are in memory, but for those of `.npy` files and of large folders of images, which stay on
    disk and are read as they are asked for.

    Arguments:
        name: one of `NAMES`, or the path of an `.npz` file, of a folder with `images.npy` and
            `labels.npy`, or of a folder with one folder of images a class. A name counts before a
            path: write `./quickdraw` for a folder of that name.
        classes: names or numbers of the classes wanted, which become 0, 1, ... in that order;
            None or empty for all, or for quickdraw (whose numbers are 0..344) the article's ten.
        images_per_class: quickdraw only: drawings of a class to download, 0 for all.
        image_size: folders of images only: side in pixels, divisible by 4, at least 8.
        channels: 1 (grey) or 3 (colour); None for what the data have.
        cache_dir: folder for quickdraw's downloads and for the decoded images of large folders,
            default `default_cache_dir()`. `cifar10` and `fashion_mnist` are kept where Keras keeps
            them, `$KERAS_HOME` or `~/.keras`.
        report: called with lines of text on what takes time or was left out; default: to stderr.

    Returns:
        An `ImageDataset`.

    Raises:
        UserError: for an unknown name or class, a wrong value, a file that is missing or broken, a
            download that fails.

    Example:
        load("mnist5k", classes=["3", "7"]).images.shape  # (1000, 28, 28, 1)
    """
    if channels not in (None, 1, 3):
        raise UserError(f"channels={channels} is neither 1 (grey) nor 3 (colour)")
    name = os.fspath(name)
    cache_dir = Path(cache_dir or default_cache_dir())
    if name in LOADERS:
        options = Options(
            classes=classes or None,
            images_per_class=images_per_class,
            cache_dir=cache_dir,
            report=report,
        )
        dataset = LOADERS[name](options)
    else:
        dataset = _load_path(name, image_size, cache_dir, report)
    if classes and name != "quickdraw":
        dataset = dataset.with_classes(classes)
    return dataset if channels is None else dataset.with_channels(channels)


def _load_path(name, image_size, cache_dir, report):
    path = Path(name).expanduser()
    if path.is_dir() and name:
        if npy_pair.is_npy_pair(path):
            return npy_pair.load(path)
        return image_folder.load(path, image_size, cache_dir, report)
    if path.is_file():
        suffix = path.suffix.casefold()
        if suffix == ".npy":
            raise UserError(
                f"dataset={name} is one array: put images.npy and labels.npy into a folder and "
                "give that"
            )
        if suffix != ".npz":
            raise UserError(f"dataset={name} is a file, but no .npz: give {_PATHS}")
        return npz.load(path)
    close = near_misses(name, NAMES)
    hint = f" (did you mean {close[0]}?)" if close else ""
    raise UserError(
        f"dataset={name!r} is neither a known name{hint} nor a path that exists: choose "
        f"{', '.join(NAMES)}, or give {_PATHS}"
    )
