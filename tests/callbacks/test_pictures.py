import numpy as np
import pytest
from PIL import Image

from callbacks.pictures import MARGIN, MINIMUM_CELL, PAPER, class_columns, save_png


def solid(values, side, channels):
    """Images [rows, classes, side, side, channels], each of one value."""
    values = np.array(values, np.uint8)
    return np.ones((1, 1, side, side, channels), np.uint8) * values[:, :, None, None, None]


@pytest.mark.parametrize(("side", "scale"), [(28, 3), (64, 1), (65, 1), (8, 8), (32, 2)])
@pytest.mark.parametrize("channels", [1, 3])
def test_rows_and_columns_stand_where_they_belong(side, scale, channels):
    values = [[10, 20, 30], [40, 50, 60]]
    sheet = class_columns(solid(values, side, channels), ["a", "b", "c"])
    cell = side * scale
    assert cell >= MINIMUM_CELL
    header = sheet.shape[0] - 2 * (cell + MARGIN)
    assert sheet.shape[1:] == (MARGIN + 3 * (cell + MARGIN), 3)
    for row in range(2):
        for column in range(3):
            top, left = header + row * (cell + MARGIN), MARGIN + column * (cell + MARGIN)
            assert (sheet[top : top + cell, left : left + cell] == values[row][column]).all()
            assert (sheet[top + cell : top + cell + MARGIN, left : left + cell] == PAPER).all()
            assert (sheet[top : top + cell, left - MARGIN : left] == PAPER).all()


def test_pixels_are_enlarged_and_none_invented():
    image = np.arange(16 * 16, dtype=np.uint8).reshape(1, 1, 16, 16, 1)
    sheet = class_columns(image, ["a"])
    found = sheet[-MARGIN - 64 : -MARGIN, MARGIN : MARGIN + 64, 0]
    assert np.array_equal(found, np.kron(image[0, 0, :, :, 0], np.ones((4, 4), np.uint8)))


def test_colours_stay_in_their_channels():
    image = np.zeros((1, 1, 64, 64, 3), np.uint8)
    image[..., 0] = 200
    assert class_columns(image, ["a"])[-MARGIN - 1, MARGIN].tolist() == [200, 0, 0]


def header_of(names):
    sheet = class_columns(np.full((1, len(names), 64, 64, 1), PAPER, np.uint8), names)
    return sheet[: sheet.shape[0] - 64 - MARGIN]


def test_each_name_stands_above_its_own_column():
    for column, names in enumerate((["name", ""], ["", "name"])):
        ink = np.flatnonzero((header_of(names) < 128).any(axis=(0, 2)))
        left = MARGIN + column * (64 + MARGIN)
        assert left <= ink.min()
        assert ink.max() < left + 64
        # In the middle, give or take what letters leave empty beside them.
        assert abs((ink.min() + ink.max()) / 2 - (left + 64 / 2)) <= 2


def test_a_name_too_long_is_cut_with_an_ellipsis():
    ink = np.flatnonzero((header_of(["a very long name of a class", ""]) < 128).any(axis=(0, 2)))
    assert ink.min() >= MARGIN
    assert ink.max() < MARGIN + 64
    assert ink.max() - ink.min() > 64 / 2


def test_names_with_other_letters_are_drawn():
    assert (header_of(["çédille", "日本"]) < 128).any()


@pytest.mark.parametrize("channels", [1, 3])
def test_a_png_file_holds_the_pixels(tmp_path, channels):
    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, channels), np.uint8)
    path = tmp_path / "a.png"
    path.write_text("old")
    save_png(pixels, path)
    with Image.open(path) as image:
        assert image.format == "PNG"
        assert image.mode == {1: "L", 3: "RGB"}[channels]
        assert np.array_equal(np.asarray(image).reshape(pixels.shape), pixels)
    assert list(tmp_path.iterdir()) == [path]
