import hashlib

import numpy as np
import pytest

from acgan.datasets import content_hash as hashing
from acgan.datasets.content_hash import content_hash
from acgan.datasets.stored_images import StoredImages

LABELS = np.array([0, 1] * 5, np.int32)


@pytest.fixture
def images():
    return np.random.default_rng(0).integers(0, 256, (10, 4, 4, 1), np.uint8)


@pytest.fixture
def large(monkeypatch):
    """Ten images of 16 bytes are more than are hashed whole; three are hashed: 0, 4 and 9."""
    monkeypatch.setattr(hashing, "WHOLE_BYTES", 159)
    monkeypatch.setattr(hashing, "SAMPLED", 3)


def test_all_pixels_and_labels_with_their_types_and_shapes(images):
    content = b"|u1(10, 4, 4, 1)" + images.tobytes() + b"<i4(10,)" + LABELS.tobytes()
    assert content_hash(images, LABELS) == hashlib.sha256(content).hexdigest()


def test_blocks_make_no_difference(images, monkeypatch):
    whole = content_hash(images, LABELS)
    monkeypatch.setattr(hashing, "_BLOCK_BYTES", 50)  # three images
    assert content_hash(images, LABELS) == whole


@pytest.mark.parametrize("size", ["small", "large"])
def test_a_file_has_the_hash_of_the_array(images, tmp_path, size, request):
    if size == "large":
        request.getfixturevalue("large")
    images.tofile(tmp_path / "pixels")
    stored = StoredImages(tmp_path / "pixels", images.shape)
    assert content_hash(stored, LABELS) == content_hash(images, LABELS)


def test_of_many_images_some_count_and_all_labels(images, large):
    known, changing = content_hash(images, LABELS), []
    for number in range(10):
        changed = images.copy()
        changed[number, 0, 0, 0] ^= 1
        if content_hash(changed, LABELS) != known:
            changing.append(number)
    assert changing == [0, 4, 9]
    assert content_hash(images, LABELS[::-1].copy()) != known
