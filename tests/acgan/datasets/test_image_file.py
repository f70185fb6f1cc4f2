import numpy as np
import pytest
from PIL import Image

from acgan.datasets.image_file import read_square
from acgan.errors import UserError

RED, BLUE, WHITE = (255, 0, 0), (0, 0, 255), (255, 255, 255)


@pytest.fixture
def read(tmp_path):
    """Saves an image, reads it back as a square of 8 pixels."""

    def read(image, suffix=".png", **options):
        path = tmp_path / f"image{suffix}"
        image.save(path, **options)
        pixels = read_square(path, 8)
        assert pixels.shape == (8, 8, 3) and pixels.dtype == np.uint8
        return pixels

    return read


def test_crops_the_centre_of_a_wide_and_of_a_high_image(read):
    for size, box in (((40, 16), (12, 0, 28, 16)), ((16, 40), (0, 12, 16, 28))):
        image = Image.new("RGB", size, BLUE)
        image.paste(RED, box)
        assert (read(image) == RED).all()


def test_resizes_with_antialiasing(read):
    columns = np.tile(np.array([0, 255], np.uint8), (64, 32))  # a column black, a column white
    centre = read(Image.fromarray(columns))[2:-2, 2:-2]
    assert np.abs(centre.astype(int) - 127.5).max() <= 2


def test_exif_orientation_turns_the_image_upright(read):
    image = Image.new("RGB", (16, 16), BLUE)
    image.paste(RED, (0, 0, 8, 16))  # the left half
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned: rotate by 90 degrees clockwise, left becomes up
    pixels = read(image, exif=exif)
    assert (pixels[:1] == RED).all() and (pixels[-1:] == BLUE).all()


def test_transparent_parts_become_white(read):
    image = Image.new("RGBA", (16, 16), (255, 0, 0, 0))
    image.paste((0, 0, 255, 255), (0, 0, 16, 8))
    pixels = read(image)
    assert (pixels[:1] == BLUE).all() and (pixels[-1:] == WHITE).all()
    half = read(Image.new("LA", (16, 16), (0, 128)))
    assert (half == 127).all()  # 255 * (1 - 128 / 255)


def test_a_transparent_palette_entry_becomes_white(read):
    image = Image.new("P", (16, 16), 1)
    image.putpalette([*RED, *BLUE])
    assert (read(image) == BLUE).all()
    assert (read(image, transparency=1) == WHITE).all()


def test_grey_of_16_bits_is_scaled(read):
    values = np.full((16, 16), 25700, np.uint16)  # 100 * 257
    values[8:] = 65535
    pixels = read(Image.fromarray(values))
    assert (pixels[:1] == 100).all() and (pixels[-1:] == 255).all()


def test_transparent_grey_of_16_bits(read):
    values = np.zeros((16, 16), np.uint16)
    values[8:] = 300
    pixels = read(Image.fromarray(values), transparency=300)
    assert (pixels[:1] == 0).all() and (pixels[-1:] == 255).all()


def test_float_tiff_is_scaled(read):
    assert (read(Image.fromarray(np.full((8, 8), 0.2, np.float32)), ".tif") == 51).all()
    with pytest.raises(UserError, match="scale"):
        read(Image.fromarray(np.full((8, 8), -1, np.float32)), ".tif")


def test_one_bit_and_cmyk(read):
    assert (read(Image.new("1", (16, 16), 1)) == 255).all()
    pixels = read(Image.new("CMYK", (16, 16), (0, 255, 255, 0)), ".jpg", quality=100)
    assert np.abs(pixels.astype(int) - RED).max() <= 3


@pytest.mark.parametrize("suffix", [".gif", ".png"])
def test_the_first_frame_of_an_animation(read, suffix):
    frames = [Image.new("RGB", (16, 16), colour) for colour in (RED, BLUE)]
    assert (read(frames[0], suffix, save_all=True, append_images=frames[1:]) == RED).all()


def test_a_large_jpeg_keeps_its_proportions(read):
    image = Image.new("RGB", (600, 400), BLUE)
    image.paste(RED, (300, 0, 600, 400))
    pixels = read(image, ".jpg", quality=95).astype(int)
    assert np.abs(pixels[:, :3] - BLUE).max() <= 8 and np.abs(pixels[:, -3:] - RED).max() <= 8
