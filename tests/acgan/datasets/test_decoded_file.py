import os
import shutil

import pytest
from PIL import Image

from acgan.datasets import decoded_file
from acgan.datasets.decoded_file import load_decoded
from acgan.errors import UserError


@pytest.fixture(autouse=True)
def blocks_of_two(monkeypatch):
    monkeypatch.setattr(decoded_file, "BLOCK_BYTES", 2 * 8 * 8 * 3)


@pytest.fixture
def folder(tmp_path):
    """Five grey images of 8x8 pixels, of the levels 0, 10, 20, 30 and 40."""
    (tmp_path / "pets").mkdir()
    for number in range(5):
        Image.new("L", (8, 8), 10 * number).save(tmp_path / "pets" / f"{number}.png")
    return tmp_path / "pets"


@pytest.fixture
def load(folder, tmp_path):
    lines = []

    def load():
        paths = sorted(map(str, folder.iterdir()))
        return load_decoded(folder, paths, 8, tmp_path / "cache", lines.append)

    load.lines = lines
    return load


def kept(tmp_path):
    return [
        path for path in (tmp_path / "cache").rglob("*") if path.is_file() and path.name[0] != "."
    ]


def test_grey_images_take_one_channel(load):
    images = load()
    assert images.shape == (5, 8, 8, 1)
    assert images[:][:, 0, 0, 0].tolist() == [0, 10, 20, 30, 40]


def test_colour_in_the_last_block_makes_three_channels_of_all(load, folder):
    Image.new("RGB", (8, 8), "red").save(folder / "4.png")
    images = load()
    assert images.shape == (5, 8, 8, 3)
    assert images[:][[0, 3, 4], 0, 0].tolist() == [[0, 0, 0], [30, 30, 30], [255, 0, 0]]


def test_it_is_decoded_once(load, tmp_path, monkeypatch):
    load()
    (file,) = kept(tmp_path)
    assert load.lines[0].endswith(f"decoding 5 images, once (they are kept in {file})")
    monkeypatch.setattr(decoded_file, "decode", None)
    assert load()[[4]][0, 0, 0, 0] == 40


@pytest.mark.parametrize("change", ["added", "removed", "touched", "renamed"])
def test_changed_files_are_decoded_again_in_place_of_the_old(load, folder, tmp_path, change):
    load()
    (before,) = kept(tmp_path)
    if change == "added":
        shutil.copy(folder / "0.png", folder / "5.png")
    elif change == "removed":
        (folder / "0.png").unlink()
    elif change == "touched":
        os.utime(folder / "0.png", ns=(1, 1))
    else:
        (folder / "0.png").rename(folder / "x.png")
    assert len(load()) == {"added": 6, "removed": 4}.get(change, 5)
    (after,) = kept(tmp_path)
    assert after != before


def test_broken_images_are_counted_over_all_blocks_and_nothing_is_kept(load, folder, tmp_path):
    for name in ("1.png", "4.png"):
        (folder / name).write_bytes(b"not really")
    with pytest.raises(UserError, match=r"2 images can't be read: first .*/1\.png .*: repair or"):
        load()
    assert kept(tmp_path) == []
    assert list((tmp_path / "cache").rglob("*.npy")) == []


def test_a_full_disk_is_seen_before_anything_is_decoded(load, monkeypatch):
    usage = shutil.disk_usage("/")._replace(free=319)  # five images of 64 bytes are 320
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    monkeypatch.setattr(decoded_file, "decode", None)
    with pytest.raises(UserError, match=r"don't fit into the 0\.0 GB that are free: .*--cache_dir"):
        load()


def test_a_disk_that_fills_up_meanwhile_is_one_line(load, tmp_path, monkeypatch):
    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(UserError, match=r"can't be written \(No space left on device\): choose"):
        load()
    assert list((tmp_path / "cache").rglob("*.npy")) == []


def test_what_a_killed_process_left_is_removed(load, tmp_path):
    load()
    (file,) = kept(tmp_path)
    file.rename(file.with_name(".half.part.npy"))
    load()
    assert [path.name for path in file.parent.iterdir() if path.suffix == ".npy"] == [file.name]
