import gc
import os

import numpy as np
import pytest

from acgan.datasets.stored_images import StoredImages
from acgan.errors import UserError

# Six images of 4x4 pixels in colour; image i begins with 48 i.
PIXELS = np.arange(6 * 48).astype(np.uint8).reshape(6, 4, 4, 3)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "pixels.bin"
    path.write_bytes(b"12345" + PIXELS.tobytes())
    return path


@pytest.fixture
def stored(path):
    return StoredImages(path, PIXELS.shape, offset=5)


def test_looks_like_an_array(stored):
    assert (stored.shape, stored.ndim, stored.dtype, len(stored)) == ((6, 4, 4, 3), 4, np.uint8, 6)


@pytest.mark.parametrize(
    "rows",
    [[5, 0, 3], [2, 2, 1], [1, 2, 3], [3, 2, 1], [4], [], slice(1, 4), slice(None, None, -2)],
    ids=str,
)
def test_gives_what_the_array_gives(stored, rows):
    expected = PIXELS[np.array(rows, int) if isinstance(rows, list) else rows]
    assert stored[rows].dtype == np.uint8
    assert np.array_equal(stored[rows], expected)


@pytest.mark.parametrize("rows", [[6], [-1, 0]])
def test_numbers_that_no_image_has_are_refused(stored, rows):
    with pytest.raises(IndexError, match=r"not within 0\.\.5"):
        stored[rows]


@pytest.mark.parametrize("rows", [1, [[1]], [0.5], [True]])
def test_other_indices_are_refused(stored, rows):
    with pytest.raises(TypeError, match="neither a slice nor whole numbers"):
        stored[rows]


def test_a_selection_of_a_selection_reads_the_right_images(stored):
    odd = stored.selected(np.array([1, 3, 5]))
    assert odd.shape == (3, 4, 4, 3)
    assert np.array_equal(odd.selected(np.array([2, 0]))[:], PIXELS[[5, 1]])


def test_grey_is_the_luma_of_colour(stored):
    grey = stored.in_channels(1)
    assert grey.shape == (6, 4, 4, 1)
    # 0.299 * 48 + 0.587 * 49 + 0.114 * 50 = 14.352 + 28.763 + 5.7 = 48.815
    assert grey[[1]][0, 0, 0].tolist() == [49]


def test_views_keep_the_file_open_and_nothing_else_does(path):
    before = set(os.listdir("/proc/self/fd"))
    view = StoredImages(path, PIXELS.shape, 5).in_channels(1).selected(np.array([0]))
    gc.collect()
    assert view[:].shape == (1, 4, 4, 1)
    del view
    gc.collect()
    assert set(os.listdir("/proc/self/fd")) == before


def test_a_removed_file_is_still_read(stored, path):
    path.unlink()
    assert np.array_equal(stored[:], PIXELS)


def test_a_file_that_became_shorter_is_named_and_the_rest_is_read(stored, path):
    view = stored.in_channels(1)
    os.truncate(path, 5 + 5 * 48 - 1)
    assert np.array_equal(stored[:4], PIXELS[:4])
    assert stored.failure is None
    for rows in ([4], [0, 5], slice(None)):
        with pytest.raises(
            UserError, match=r"pixels\.bin: can't be read any more .*shorter.*--res"
        ):
            stored[rows]
    assert "shorter" in str(view.failure)  # which reads the same file


def test_a_failing_disk_is_an_error_of_the_user_s(stored, monkeypatch):
    def fail(*arguments):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "preadv", fail)
    with pytest.raises(UserError, match=r"any more \(Input/output error\)"):
        stored[[0]]


def test_a_read_that_brings_less_than_asked_for_goes_on(stored, monkeypatch):
    whole = os.preadv
    monkeypatch.setattr(os, "preadv", lambda f, buffers, at: whole(f, [buffers[0][:7]], at))
    assert np.array_equal(stored[[3, 1]], PIXELS[[3, 1]])
