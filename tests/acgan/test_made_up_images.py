from collections import namedtuple

import numpy as np
import pytest

from acgan import datasets, made_up_images
from acgan.errors import UserError
from acgan.made_up_images import check_room, forget, megabytes, write_npz, write_pair


@pytest.fixture
def pair(tmp_path, monkeypatch):
    monkeypatch.setattr(made_up_images, "CHUNK", 20)
    return write_pair(tmp_path / "pair", 45, (8, 8, 1), classes=10)


def test_the_folder_is_a_data_set(pair):
    dataset = datasets.load(pair)
    assert (dataset.images.shape, dataset.classes) == ((45, 8, 8, 1), 10)
    # 20 images, the same 20 again, then the first 5 of them.
    assert (dataset.images[20:40] == dataset.images[:20]).all()
    assert (dataset.images[40:] == dataset.images[:5]).all()
    assert dataset.labels.tolist() == [*range(10)] * 4 + [*range(5)]
    assert len(np.unique(dataset.images[:20], axis=0)) == 20


def test_the_archive_holds_the_same_images(pair, tmp_path):
    stored, held = datasets.load(pair), datasets.load(write_npz(tmp_path / "images.npz", pair))
    assert (stored.images[:] == held.images).all()
    assert (stored.labels == held.labels).all()
    assert isinstance(held.images, np.ndarray)


def test_the_weight_is_that_of_pixels_labels_and_two_headers(pair):
    assert megabytes(pair) == (45 * (64 + 4) + 2 * 128) / 1e6


def test_a_folder_that_was_forgotten_is_read_again(pair):
    before = datasets.load(pair).images[:]
    forget(pair)
    assert (datasets.load(pair).images[:] == before).all()


def test_too_little_room_is_said_in_one_line(tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")(10e9, 9e9, 787_999_999)
    monkeypatch.setattr(made_up_images.shutil, "disk_usage", lambda folder: usage)
    check_room(tmp_path, [900_000], (28, 28, 1))
    # A million images are a million times 784 + 4 bytes, one more than there are.
    with pytest.raises(UserError, match=r"--out=.*: 788 MB are needed .* 788 MB are free: make"):
        check_room(tmp_path, [400_000, 600_000], (28, 28, 1))
