import numpy as np
import pytest
from PIL import Image

from acgan.datasets import image_folder
from acgan.datasets.stored_images import StoredImages
from acgan.errors import UserError


@pytest.fixture
def folder(tmp_path):
    """Two classes: two grey cats, one red dog, in images of several sizes and types."""
    folder = tmp_path / "pets"
    for name, size, colour in (
        ("cat/b.PNG", (9, 20), "white"),
        ("cat/a.jpg", (30, 20), "black"),
        ("dog/1.gif", (8, 8), "red"),
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("L" if colour != "red" else "RGB", size, colour).save(path)
    return folder


@pytest.fixture
def load(folder, tmp_path):
    lines = []

    def load(size=8):
        return image_folder.load(folder, size, tmp_path / "cache", lines.append)

    load.lines = lines
    return load


def test_one_folder_a_class_sorted_by_name(load, folder):
    dataset = load()
    assert dataset.images.shape == (3, 8, 8, 3)
    assert dataset.images[:, 4, 4].tolist() == [[0, 0, 0], [255, 255, 255], [255, 0, 0]]
    assert dataset.labels.tolist() == [0, 0, 1]
    assert dataset.class_names == ("cat", "dog")
    assert dataset.name == str(folder)
    assert load.lines == []


def test_what_is_too_large_for_memory_is_the_same_on_disk(load, monkeypatch):
    in_memory = load()
    # Three images of 8 * 8 * 3 bytes are 576.
    monkeypatch.setattr(image_folder, "LARGEST_IN_MEMORY_BYTES", 576)
    assert isinstance(load().images, np.ndarray)
    monkeypatch.setattr(image_folder, "LARGEST_IN_MEMORY_BYTES", 575)
    stored = load()
    assert isinstance(stored.images, StoredImages)
    assert np.array_equal(stored.images[:], in_memory.images)
    assert stored.content_hash() == in_memory.content_hash()


def test_one_channel_without_colour(load, folder):
    Image.new("RGB", (8, 8), (7, 7, 7)).save(folder / "dog/1.gif")
    dataset = load(12)
    assert dataset.images.shape == (3, 12, 12, 1)
    assert dataset.images[:, 0, 0, 0].tolist() == [0, 255, 7]


@pytest.mark.parametrize("size", [0, 4, 30, -8])
def test_sizes_that_cant_be(load, size):
    with pytest.raises(UserError, match=f"image_size={size} is not divisible by 4"):
        load(size)


def test_strays_are_left_out(load, folder):
    for name in ("cat/.DS_Store", "cat/Thumbs.db", "cat/._a.jpg", ".git/x.png", "__MACOSX/a.jpg"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x")
    (folder / "readme.txt").write_text("beside the class folders")
    (folder / "cat" / "notes.txt").write_text("not an image")
    assert len(load()) == 3
    stray = folder / "cat" / "notes.txt"
    assert load.lines == [f"{folder}: 1 left out, not images by their suffix, such as {stray}"]


def test_an_unreadable_image_is_named(load, folder):
    (folder / "cat" / "c.png").write_bytes(b"not really")
    with pytest.raises(UserError, match=r"1 image can't be read: .*cat/c\.png \(cannot identify"):
        load()


def test_several_unreadable_images_are_counted(load, folder):
    whole = (folder / "cat" / "a.jpg").read_bytes()
    (folder / "cat" / "c.jpg").write_bytes(whole[:-40])  # cut off
    (folder / "dog" / "2.heic").write_bytes(b"a format that Pillow lacks")
    (folder / "dog" / "3.png").symlink_to("nowhere.png")
    with pytest.raises(UserError, match=r"3 images can't be read: first .*cat/c\.jpg"):
        load()


def test_too_many_pixels_are_refused(load, folder, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 500)  # 30 * 20 = 600 are more, below twice that
    with pytest.raises(UserError, match=r"1 image can't be read: .*a\.jpg .*600 pixels"):
        load()


def test_an_empty_class_is_named(load, folder):
    (folder / "empty").mkdir()
    with pytest.raises(UserError, match=r"pets/empty: no images in it: add some, or remove"):
        load()


def test_a_single_class_is_refused(load, folder):
    (folder / "dog" / "1.gif").unlink()
    (folder / "dog").rmdir()
    with pytest.raises(UserError, match=r"a single class \(cat\)"):
        load()


def test_a_folder_without_class_folders_is_shown_the_layout(folder):
    with pytest.raises(UserError, match=r"cat: no folders in it.*such as .*cat/cat/1\.jpg"):
        image_folder.load(folder / "cat", 8, folder, print)


def test_images_one_folder_too_deep_are_named(folder):
    with pytest.raises(UserError, match=r"pets/cat: images one folder too deep.*give .*pets as"):
        image_folder.load(folder.parent, 8, folder, print)


def test_links_to_folders_above_are_no_classes(load, folder):
    (folder / "loop").symlink_to(folder)
    (folder / "up").symlink_to(folder.parent)
    (folder / "itself").symlink_to("itself")
    (folder / "cat" / "loop").symlink_to(folder)
    assert load().class_names == ("cat", "dog")


def test_links_to_other_folders_are_classes(load, folder, tmp_path):
    (folder / "dog").rename(tmp_path / "elsewhere")
    (folder / "wolf").symlink_to(tmp_path / "elsewhere")
    assert load().class_names == ("cat", "wolf")


def test_real_photos(shared_data):
    dataset = image_folder.load(shared_data / "own_images", 64, shared_data, print)
    assert dataset.images.shape == (60, 64, 64, 3)
    assert np.bincount(dataset.labels).tolist() == [10, 10, 20, 20]


def test_odd_images(shared_data):
    dataset = image_folder.load(shared_data / "awkward", 32, shared_data, print)
    assert dataset.images.shape == (27, 32, 32, 3)
    names = sorted(path.name for path in (shared_data / "awkward" / "portrait").iterdir())
    portraits = dict(zip(names, dataset.images[dataset.labels == 2].astype(int), strict=True))
    for turned in ("hopper_orientation_3.jpg", "hopper_orientation_6.jpg", "hopper.gif"):
        assert np.abs(portraits[turned] - portraits["hopper.png"]).mean() < 6
