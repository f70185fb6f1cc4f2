"""Quick, Draw! bitmaps, downloaded class by class and only as far as wanted."""

import csv
import functools
import hashlib
import os
import urllib.parse
from pathlib import Path

import numpy as np

from acgan.datasets.class_selection import class_numbers
from acgan.datasets.dataset import ImageDataset
from acgan.datasets.download import TIMEOUT_S, by_hand, fetch, writing
from acgan.datasets.drawings_file import PIXELS, read_drawings, read_header
from acgan.datasets.folder_lock import locked
from acgan.errors import UserError
from callbacks.files import replacing

URL = "https://storage.googleapis.com/quickdraw_dataset/full/numpy_bitmap"
URL_VARIABLE = "ACGAN_QUICKDRAW_URL"
ARTICLE_CLASSES = (
    "airplane", "apple", "bee", "bird", "book", "clock", "cow", "dog", "eye", "fish"
)  # fmt: skip
_HEADER_BYTES = 80  # of the official files; longer ones are asked for in a second request
_TABLES = Path(__file__).parent


def load(classes, images_per_class, cache_dir, base_url=None, report=print, timeout_s=TIMEOUT_S):
    """Drawings of the chosen classes: uint8 [count, 28, 28, 1], ink bright on black.

    The first `images_per_class` drawings of a class are fetched and kept as
    `<cache_dir>/quickdraw/<class>.first-<n>.npy`. A whole official file at
    `<cache_dir>/quickdraw/<class>.npy` is used instead where there is one, downloaded earlier or
    put there by hand. Files are checked before they are used: header and length, and where a whole
    file is asked for its published SHA-256, or for classes without one the server's MD5.

    Arguments:
        classes: names or numbers of the 345 official classes (`class_names`), at least two; None
            for the article's ten.
        images_per_class: at most; 0 for whole files (about 130,000 drawings, 100 MB a class).
        cache_dir: folder for downloads.
        base_url: folder of the files; default: `$ACGAN_QUICKDRAW_URL`, else Google's.
        report: called with one line of text before each download.
        timeout_s: seconds without a byte after which a connection counts as broken.

    Raises:
        UserError: for unknown classes, and for downloads and files that fail a check; names the
            address and where to put the file by hand.

    Source: https://github.com/googlecreativelab/quickdraw-dataset (CC BY 4.0).
    """
    if images_per_class < 0:
        raise UserError(f"images_per_class={images_per_class} is negative: 0 means whole files")
    known = class_names()
    names = [known[i] for i in class_numbers(classes or ARTICLE_CLASSES, known, "quickdraw")]
    if len(names) < 2:
        raise UserError(f"classes={names[0]} is a single class: an AC-GAN needs two or more")
    folder = Path(cache_dir).expanduser() / "quickdraw"
    base_url = base_url or os.environ.get(URL_VARIABLE) or URL
    drawings = []
    for name in names:
        url = f"{base_url.rstrip('/')}/{urllib.parse.quote(name)}.npy"
        drawings.append(_drawings(url, folder, name, images_per_class, report, timeout_s))
    labels = np.repeat(np.arange(len(names), dtype=np.int32), [len(rows) for rows in drawings])
    images = np.concatenate(drawings).reshape(-1, 28, 28, 1)
    return ImageDataset("quickdraw", images, labels, tuple(names))


@functools.cache
def class_names():
    """The 345 official names, in the official order."""
    lines = (_TABLES / "quickdraw_classes.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if not line.startswith("#"))


@functools.cache
def published_files():
    """(bytes, sha256) of whole official files by class name, as far as published."""
    with open(_TABLES / "quickdraw_hashes.csv", encoding="utf-8", newline="") as file:
        return {row["class"]: (int(row["bytes"]), row["sha256"]) for row in csv.DictReader(file)}


def _drawings(url, folder, name, count, report, timeout_s):
    """uint8 [count or fewer, 784] from the cache, where a download puts them first if need be."""
    rows = _cached(folder, name, count)
    if rows is None:
        with locked(folder):
            rows = _cached(folder, name, count)  # another run may have fetched them meanwhile
            if rows is None:
                report(f"quickdraw: downloading {count or 'all'} drawings from {url}")
                _download(url, folder / f"{name}.npy", name, count, timeout_s)
                rows = _cached(folder, name, count)
    return rows


def _cached(folder, name, count):
    whole = folder / f"{name}.npy"
    if whole.exists():
        try:
            rows = read_drawings(whole, count)
            if not count:
                _check_hash(whole, name)
            return rows
        except ValueError as error:
            raise UserError(f"{whole}: {error}: delete it, and it is downloaded again") from error
    for sample in folder.glob(f"{name}.first-*.npy") if count else ():
        held = sample.stem.rpartition("-")[2]
        if held.isdecimal() and int(held) >= count:
            try:
                return read_drawings(sample, count)
            except ValueError:
                sample.unlink()
    return None


def _download(url, whole, name, count, timeout_s):
    """Fetches a class, checks it and moves it to its place in the cache."""
    partial = fetch(url, whole, _HEADER_BYTES + PIXELS * count if count else None, timeout_s)
    try:
        offset, available = read_header(partial.path)
        wanted = min(count or available, available)
        needed = offset + PIXELS * wanted
        if partial.path.stat().st_size < needed:
            partial = fetch(url, whole, needed, timeout_s)
        size = partial.path.stat().st_size
        total = partial.total_bytes or size
        if size < needed or (wanted == available and total != needed):
            raise ValueError(f"{total} bytes instead of {offset + PIXELS * available}")
        if not count:
            _check_hash(partial.path, name, partial.md5)
    except UserError:
        raise
    except ValueError as error:
        partial.discard()
        raise by_hand(url, f"corrupted ({error})", whole) from error
    with writing(whole):
        if count:
            with replacing(whole.with_name(f"{name}.first-{count}.npy")) as sample:
                np.save(sample, np.memmap(partial.path, np.uint8, "r", offset, (wanted, PIXELS)))
        else:
            os.replace(partial.path, whole)
        partial.discard()


def _check_hash(path, name, md5=None):
    """Raises `ValueError` unless a whole file has its published SHA-256, or else the given MD5."""
    algorithm, expected = "md5", md5
    if name in published_files():
        algorithm, expected = "sha256", published_files()[name][1]
    if expected:
        with open(path, "rb") as file:
            found = hashlib.file_digest(file, algorithm).hexdigest()
        if found != expected:
            raise ValueError(f"{algorithm} {found} instead of {expected}")
