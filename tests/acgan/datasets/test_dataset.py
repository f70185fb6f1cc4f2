import dataclasses

import numpy as np
import pytest

from acgan.datasets import ImageDataset
from acgan.errors import UserError


def make(images=(4, 8, 8, 1), labels=(0, 1, 2, 1), names=("a", "b", "c"), dtype=np.uint8):
    pixels = np.arange(np.prod(images)).reshape(images).astype(dtype)
    return ImageDataset("toy", pixels, np.array(labels, np.int32), names)


def test_tells_shape_and_counts():
    dataset = make()
    assert dataset.image_shape == (8, 8, 1)
    assert dataset.classes == 3
    assert len(dataset) == 4


def test_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        make().labels = None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dtype": np.float32}, "toy: images are float32"),
        ({"images": (4, 8, 8)}, r"\[4, 8, 8\]"),
        ({"images": (4, 8, 12, 1)}, "8x12 pixels are not square"),
        ({"images": (4, 30, 30, 1)}, "not divisible by 4.* to 28x28 or 32x32"),
        ({"images": (4, 2, 2, 1)}, "to 4x4 or 8x8"),
        ({"images": (4, 8, 8, 0)}, "no channels"),
        ({"labels": (0, 1, 2)}, "4 images but 3 labels"),
        ({"labels": (0, 0, 0, 0), "names": ("a",)}, r"single class \(a\)"),
        ({"labels": (0, 1, 1, 1)}, "no image of class 'c'"),
        ({"labels": (0, 1, 2, 3)}, r"labels of 0\.\.3 for 3 classes"),
        ({"labels": (0, 1, 2, -1)}, r"labels of -1\.\.2 for 3 classes"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(UserError, match=message):
        make(**arguments)


def test_refuses_labels_of_another_type():
    with pytest.raises(UserError, match="labels are int64"):
        ImageDataset("toy", np.zeros((2, 8, 8, 1), np.uint8), np.array([0, 1]), ("a", "b"))


def test_with_classes_relabels_in_the_order_given():
    dataset = make().with_classes(["c", "b"])
    assert dataset.class_names == ("c", "b")
    assert dataset.labels.tolist() == [1, 0, 1] and dataset.labels.dtype == np.int32
    # Images of 64 pixels count on from 64 * index: the second, third and fourth are left.
    assert dataset.images[:, 0, 0, 0].tolist() == [64, 128, 192]


@pytest.mark.parametrize(
    ("selection", "message"),
    [(["d", "a"], "toy has no class 'd'"), (["a", 0], "twice"), (["a"], r"single class \(a\)")],
)
def test_with_classes_refuses(selection, message):
    with pytest.raises(UserError, match=message):
        make().with_classes(selection)


def test_content_hash_follows_images_labels_and_shapes_alone():
    known = make().content_hash()
    assert len(known) == 64
    assert make(names=("x", "y", "z")).content_hash() == known
    assert make(labels=(0, 2, 1, 1)).content_hash() != known
    assert make(images=(4, 4, 4, 4)).content_hash() != known
    changed = make()
    changed.images[0, 0, 0, 0] += 1
    assert changed.content_hash() != known


def test_content_hash_does_not_see_the_memory_layout():
    dataset = make()
    strided = np.repeat(dataset.images, 2, axis=2)[:, :, ::2]
    same = ImageDataset("toy", strided, dataset.labels, dataset.class_names)
    assert same.content_hash() == dataset.content_hash()


def test_colour_becomes_luma():
    images = np.zeros((2, 4, 4, 3), np.uint8)
    images[0] = (200, 100, 50)
    images[1] = 255
    grey = ImageDataset("toy", images, np.array([0, 1], np.int32), ("a", "b")).with_channels(1)
    assert grey.image_shape == (4, 4, 1)
    # 0.299 * 200 + 0.587 * 100 + 0.114 * 50 = 59.8 + 58.7 + 5.7 = 124.2
    assert (grey.images[0] == 124).all() and (grey.images[1] == 255).all()


def test_grey_is_repeated():
    colour = make().with_channels(3)
    assert colour.image_shape == (8, 8, 3)
    assert colour.images[3, 0, 1].tolist() == [193, 193, 193]
    assert colour.with_channels(1).content_hash() == make().content_hash()


def test_channels_that_cant_be():
    with pytest.raises(UserError, match="channels=2"):
        make().with_channels(2)
    with pytest.raises(UserError, match="4 channels can't become 1"):
        make(images=(4, 8, 8, 4)).with_channels(1)
