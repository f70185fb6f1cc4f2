import numpy as np
import pytest

from acgan.datasets import channels
from acgan.datasets.channels import check_channels, in_channels
from acgan.errors import UserError


@pytest.mark.parametrize(("present", "wanted"), [(1, 1), (1, 3), (3, 1), (3, 3)])
def test_grey_and_colour_become_each_other(present, wanted):
    assert check_channels(present, wanted, "pets") is None


@pytest.mark.parametrize(
    ("present", "wanted", "message"),
    [
        (3, 2, r"^channels=2 is neither 1 \(grey\) nor 3 \(colour\)$"),
        (2, 2, r"^channels=2 is neither"),  # whatever the images have
        (3, 0, r"^channels=0 is neither"),
        (4, 3, r"^pets: images of 4 channels can't become 3$"),
        (2, 1, r"^pets: images of 2 channels can't become 1$"),
        (0, 1, r"^pets: images of 0 channels can't become 1$"),
    ],
)
def test_other_counts_are_refused(present, wanted, message):
    with pytest.raises(UserError, match=message):
        check_channels(present, wanted, "pets")


@pytest.mark.parametrize("count", [1, 3])
def test_images_that_have_them_already_are_not_copied(count):
    images = np.zeros((2, 4, 4, count), np.uint8)
    assert in_channels(images, count) is images


def test_grey_is_repeated():
    grey = np.arange(2 * 2 * 2, dtype=np.uint8).reshape(2, 2, 2, 1)
    colour = in_channels(grey, 3)
    assert (colour.shape, colour.dtype) == ((2, 2, 2, 3), np.uint8)
    assert colour[1, 0].tolist() == [[4, 4, 4], [5, 5, 5]]


def test_colour_becomes_rounded_luma():
    pixels = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255], [0, 0, 0], [10, 20, 30]]
    grey = in_channels(np.array(pixels, np.uint8).reshape(1, 2, 3, 3), 1)
    assert (grey.shape, grey.dtype) == ((1, 2, 3, 1), np.uint8)
    # 0.299 * 255 = 76.245, 0.587 * 255 = 149.685, 0.114 * 255 = 29.07,
    # 2.99 + 11.74 + 3.42 = 18.15
    assert grey.ravel().tolist() == [76, 150, 29, 255, 0, 18]


# With other values each, so that an image left out can't be right by what was in memory before.
@pytest.mark.parametrize(
    ("block_bytes", "first"), [(1, 1), (2 * 48, 2), (3 * 48 - 1, 3), (100 * 48, 4)]
)
def test_the_size_of_a_block_changes_nothing(monkeypatch, block_bytes, first):
    # Five images of 4 * 4 * 3 = 48 bytes, each of one grey.
    images = np.repeat(np.arange(first, 250, 50), 48).astype(np.uint8).reshape(5, 4, 4, 3)
    monkeypatch.setattr(channels, "_BLOCK_BYTES", block_bytes)
    grey = in_channels(images, 1)
    assert [set(image.ravel().tolist()) for image in grey] == [
        {first}, {first + 50}, {first + 100}, {first + 150}, {first + 200}
    ]  # fmt: skip


@pytest.mark.parametrize(("present", "wanted"), [(1, 3), (3, 1)])
def test_no_images_stay_no_images(present, wanted):
    assert in_channels(np.zeros((0, 4, 4, present), np.uint8), wanted).shape == (0, 4, 4, wanted)
