import os
import warnings

import numpy as np
import pytest
from PIL import Image

from acgan.datasets import decoding
from acgan.datasets.decoding import decode, has_colour, refuse_broken
from acgan.errors import UserError


@pytest.fixture
def paths(tmp_path):
    """Forty images, number i of the grey 5 i."""
    paths = [tmp_path / f"{number}.png" for number in range(40)]
    for number, path in enumerate(paths):
        Image.new("L", (8, 8), 5 * number).save(path)
    return paths


@pytest.mark.parametrize("cpus", [None, 1, 64])
def test_images_come_in_the_order_of_their_paths(paths, monkeypatch, cpus):
    monkeypatch.setattr(os, "cpu_count", lambda: cpus)
    pixels, broken = decode(paths[::-1], 4)
    assert (pixels.shape, pixels.dtype, broken) == ((40, 4, 4, 3), np.uint8, [])
    assert [set(image.ravel().tolist()) for image in pixels] == [
        {5 * number} for number in reversed(range(40))
    ]


def test_no_paths_give_no_images():
    pixels, broken = decode([], 4)
    assert (pixels.shape, broken) == ((0, 4, 4, 3), [])


def test_files_that_cant_be_read_are_black_and_named_in_order(paths, tmp_path):
    paths[7].write_bytes(b"no image")
    absent = tmp_path / "absent.png"
    pixels, broken = decode([paths[39], paths[7], absent, paths[1]], 4)
    assert [path for path, _ in broken] == [paths[7], absent]
    assert "cannot identify" in broken[0][1]
    assert "No such file" in broken[1][1]
    assert [set(image.ravel().tolist()) for image in pixels] == [{195}, {0}, {0}, {5}]


def test_an_error_without_words_is_told_by_its_type(monkeypatch):
    def fail(path, side):
        raise EOFError

    monkeypatch.setattr(decoding, "read_square", fail)
    assert decode(["a.png"], 4)[1] == [("a.png", "EOFError")]


def test_what_pillow_warns_of_is_read(monkeypatch):
    def warn(path, side):
        warnings.warn("Corrupt EXIF data", stacklevel=1)
        return np.full((side, side, 3), 9, np.uint8)

    monkeypatch.setattr(decoding, "read_square", warn)
    pixels, broken = decode(["a.png", "b.png"], 4)
    assert broken == []
    assert set(pixels.ravel().tolist()) == {9}
    with pytest.raises(UserWarning, match="EXIF"):  # tests make errors of warnings, as before
        warn("a.png", 4)


def test_too_many_pixels_are_not_read(paths, monkeypatch):
    Image.new("L", (30, 20)).save(paths[0])
    # A warning of Pillow's up to twice as many, an error beyond.
    for most in (500, 200):
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", most)
        _, ((path, reason),) = decode(paths[:2], 4)
        assert path == paths[0]
        assert "600 pixels" in reason


def test_colour_is_what_differs_between_channels():
    pixels = np.full((2, 4, 4, 3), 7, np.uint8)
    assert has_colour(pixels) is False
    for channel in range(3):
        coloured = pixels.copy()
        coloured[1, 3, 2, channel] = 8
        assert has_colour(coloured) is True


def test_nothing_broken_is_not_refused():
    assert refuse_broken("pets", []) is None


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ([("a.png", "cut")], "pets: 1 image can't be read: a.png (cut): repair or remove"),
        (
            [("b.png", "empty"), ("a.png", "cut")],
            "pets: 2 images can't be read: first b.png (empty): repair or remove",
        ),
    ],
)
def test_broken_images_are_counted_and_the_first_is_named(broken, message):
    with pytest.raises(UserError) as caught:
        refuse_broken("pets", broken)
    assert str(caught.value) == message
