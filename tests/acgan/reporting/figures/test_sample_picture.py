import numpy as np
import pytest
from PIL import Image

from acgan.reporting.figures.sample_picture import read_samples
from callbacks.pictures import class_columns, save_png


@pytest.mark.parametrize(
    "shape", [(28, 28, 1), (8, 8, 3), (64, 64, 3), (100, 100, 3)], ids=lambda shape: str(shape[0])
)
def test_images_come_back_as_they_were_drawn(tmp_path, shape):
    images = np.random.default_rng(0).integers(0, 256, (2, 3, *shape), np.uint8)
    save_png(class_columns(images, ["ant", "bee", "cat"]), tmp_path / "step-000010.png")
    found = read_samples(tmp_path / "step-000010.png", 3, shape)
    assert found.shape == (2, 3, *shape[:2], 3)
    assert (found == images).all()


def test_another_picture_or_none_is_not_taken_for_samples(tmp_path):
    path = tmp_path / "step-000010.png"
    path.write_text("no picture")
    assert read_samples(path, 3, (28, 28, 1)) is None
    Image.new("RGB", (50, 50)).save(path)
    assert read_samples(path, 3, (28, 28, 1)) is None
    assert read_samples(tmp_path / "missing.png", 3, (28, 28, 1)) is None
