"""Labelled images."""

import functools
from dataclasses import dataclass

import numpy as np

from acgan.datasets.channels import check_channels, in_channels
from acgan.datasets.class_selection import class_numbers
from acgan.datasets.content_hash import content_hash
from acgan.datasets.stored_images import StoredImages
from acgan.errors import UserError


@dataclass(frozen=True, eq=False)
class ImageDataset:
    """Square images with a class each.

    Arguments:
        name: what the user calls the data set, a registered name or a path; errors begin with it.
        images: uint8 [count, side, side, channels], 0..255; the side divisible by 4. An array, or
            `StoredImages`, which stay on disk.
        labels: int32 [count], 0..classes-1, every class present.
        class_names: one a class, at least two.

    Raises:
        UserError: for anything else.

    Example:
        dataset = ImageDataset(
            "stripes", np.zeros((2, 8, 8, 1), np.uint8), np.array([0, 1], np.int32), ("a", "b")
        )
    """

    name: str
    images: np.ndarray | StoredImages
    labels: np.ndarray
    class_names: tuple[str, ...]

    def __post_init__(self):
        object.__setattr__(self, "class_names", tuple(self.class_names))
        self._check_images()
        self._check_labels()

    @property
    def image_shape(self):
        """(side, side, channels)."""
        return self.images.shape[1:]

    @property
    def classes(self):
        """How many classes there are."""
        return len(self.class_names)

    def __len__(self):
        return len(self.images)

    def content_hash(self):
        """64 hexadecimal digits that tell data sets apart; see `content_hash.content_hash`."""
        return self._content_hash

    @functools.cached_property
    def _content_hash(self):
        return content_hash(self.images, self.labels)  # once: it reads every image

    def with_classes(self, selection):
        """A data set of the chosen classes only, labelled 0, 1, ... in the order given.

        Arguments:
            selection: names or numbers, at least two; see `class_selection.class_numbers`.

        Raises:
            UserError: for unknown or repeated classes, or fewer than two.
        """
        chosen = class_numbers(selection, self.class_names, self.name)
        new_labels = np.full(self.classes, -1, np.int32)
        new_labels[chosen] = np.arange(len(chosen))
        labels = new_labels[self.labels]
        kept = np.flatnonzero(labels >= 0)
        names = tuple(self.class_names[number] for number in chosen)
        images = self.images
        if len(kept) < len(images):
            is_stored = isinstance(images, StoredImages)
            images = images.selected(kept) if is_stored else images[kept]
        return ImageDataset(self.name, images, labels[kept], names)

    def with_channels(self, channels):
        """A data set of grey (1) or colour (3) images; itself where they are that already.

        Colour becomes grey as ITU-R BT.601 luma, rounded; grey is repeated.

        Raises:
            UserError: for other channel counts, wanted or present.
        """
        check_channels(self.image_shape[-1], channels, self.name)
        if channels == self.image_shape[-1]:
            return self
        is_stored = isinstance(self.images, StoredImages)
        images = (
            self.images.in_channels(channels) if is_stored else in_channels(self.images, channels)
        )
        return ImageDataset(self.name, images, self.labels, self.class_names)

    def _check_images(self):
        images = self.images
        if images.dtype != np.uint8 or images.ndim != 4:
            raise UserError(
                f"{self.name}: images are {images.dtype} {list(images.shape)}, not uint8 "
                "[count, side, side, channels]"
            )
        _, height, width, channels = images.shape
        if height != width:
            raise UserError(
                f"{self.name}: images of {height}x{width} pixels are not square: crop or pad them"
            )
        if not height or height % 4:
            low = max(4, height - height % 4)
            raise UserError(
                f"{self.name}: images of {height}x{width} pixels have a side that is not divisible "
                f"by 4: crop, pad or resize them to {low}x{low} or {low + 4}x{low + 4}"
            )
        if not channels:
            raise UserError(f"{self.name}: images have no channels")

    def _check_labels(self):
        labels, names = self.labels, self.class_names
        if labels.dtype != np.int32 or labels.ndim != 1:
            raise UserError(
                f"{self.name}: labels are {labels.dtype} {list(labels.shape)}, not int32 [count]"
            )
        if len(labels) != len(self.images):
            raise UserError(
                f"{self.name}: {len(self.images)} images but {len(labels)} labels: each image "
                "needs one"
            )
        if len(names) < 2:
            raise UserError(
                f"{self.name}: a single class ({', '.join(names) or 'none'}): an AC-GAN needs two "
                "or more"
            )
        if labels.min(initial=0) < 0 or labels.max(initial=0) >= len(names):
            raise UserError(
                f"{self.name}: labels of {labels.min()}..{labels.max()} for {len(names)} classes: "
                f"0..{len(names) - 1} are accepted"
            )
        counts = np.bincount(labels, minlength=len(names))
        missing = [name for name, count in zip(names, counts, strict=True) if not count]
        if missing:
            raise UserError(f"{self.name}: no image of class {', '.join(map(repr, missing))}")
