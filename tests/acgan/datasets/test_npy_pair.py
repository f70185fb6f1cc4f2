import numpy as np
import pytest

from acgan.datasets import npy_pair, npz
from acgan.datasets.stored_images import StoredImages
from acgan.errors import UserError

X = np.arange(3 * 8 * 8, dtype=np.uint8).reshape(3, 8, 8)
Y = np.array([0, 1, 1])


@pytest.fixture
def folder(tmp_path):
    """A folder with both arrays."""
    return write(tmp_path / "mine", X, Y)


def write(folder, images=None, labels=None):
    folder.mkdir(exist_ok=True)
    for name, array in (("images.npy", images), ("labels.npy", labels)):
        if array is not None:
            np.save(folder / name, array)
    return folder


def test_the_same_data_set_as_from_npz(folder, tmp_path):
    dataset = npy_pair.load(folder)
    np.savez(tmp_path / "mine.npz", x=X, y=Y)
    other = npz.load(tmp_path / "mine.npz")
    assert isinstance(dataset.images, StoredImages)
    assert np.array_equal(dataset.images[:], other.images)
    assert type(dataset.labels) is np.ndarray and dataset.labels.dtype == np.int32
    assert dataset.labels.tolist() == [0, 1, 1]
    assert dataset.class_names == other.class_names == ("0", "1")
    assert dataset.content_hash() == other.content_hash()
    assert dataset.name == str(folder)


def test_names_are_lines(folder):
    (folder / "class_names.txt").write_text("cat\nhund ä\n\n", encoding="utf-8")
    assert npy_pair.load(folder).class_names == ("cat", "hund ä")


def test_colour_and_a_column_of_labels(tmp_path):
    colour = np.repeat(X[..., None], 3, axis=-1)
    dataset = npy_pair.load(write(tmp_path / "mine", colour, Y.astype(np.uint8)[:, None]))
    assert dataset.image_shape == (8, 8, 3)
    assert dataset.labels.tolist() == [0, 1, 1]


def test_either_array_makes_it_a_pair(tmp_path):
    assert not npy_pair.is_npy_pair(tmp_path)
    np.save(tmp_path / "labels.npy", Y)
    assert npy_pair.is_npy_pair(tmp_path)


@pytest.mark.parametrize(
    ("images", "labels", "message"),
    [
        (X, None, r"mine: no labels\.npy in it: save the labels with np\.save\('.*labels\.npy'"),
        (None, Y, r"mine: no images\.npy in it: save the images"),
        (X, Y[:2], r"3 images in images\.npy but 2 labels in labels\.npy"),
        (X / 255, Y, r"is float64, .* save \(np\.rint\(255 \* x\)\)\.astype\('uint8'\) \(for x in"),
        (X > 9, Y, r"is bool, .* save \(255 \* x\)\.astype"),
        (X.astype(np.int64), Y, r"is int64, .* save \(x\)\.astype\('uint8'\)"),
        (np.asfortranarray(X), Y, r"Fortran's order.*np\.ascontiguousarray"),
        (X.reshape(3, 64), Y, r"\[3, 64\].*: x\.reshape\(-1, 8, 8\)"),
        (X.reshape(3, 4, 16), Y, "4x16 pixels are not square"),
        (np.zeros((3, 3, 8, 8), np.uint8), Y, "channels first"),
        (X, Y / 1.0, r"labels\.npy is float64: integer labels"),
        (X, Y - 1, r"negative labels \(-1\)"),
        (X, Y * 0, r"single class \(0\)"),
        (X, np.array([0, 1, 3]), r"labels\.npy has labels up to 3 but none of 2: number"),
        (X, np.eye(3, dtype=int), r"\[3, 3\], not \[count\] .*argmax"),
    ],
)
def test_refuses_other_contents(tmp_path, images, labels, message):
    with pytest.raises(UserError, match=message):
        npy_pair.load(write(tmp_path / "mine", images, labels))


@pytest.mark.parametrize("name", ["images.npy", "labels.npy"])
def test_an_empty_array_is_refused(folder, name):
    np.save(folder / name, np.zeros((0, 8, 8) if name == "images.npy" else 0, np.uint8))
    with pytest.raises(UserError, match=rf"{name}"):
        npy_pair.load(folder)


class Bomb:
    def __reduce__(self):
        return exec, ("raise SystemExit('unpickled')",)


@pytest.mark.parametrize("name", ["images.npy", "labels.npy"])
def test_nothing_is_ever_unpickled(folder, name):
    np.save(folder / name, np.array([Bomb()] * 3, object), allow_pickle=True)
    with pytest.raises(UserError, match=rf"{name} is an object array, which is never unpickled"):
        npy_pair.load(folder)


@pytest.mark.parametrize("name", ["images.npy", "labels.npy"])
@pytest.mark.parametrize("left", [0, 5, 60, -1])
def test_a_truncated_file(folder, name, left):
    path = folder / name
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(UserError, match=rf"{name}: not a whole \.npy file .*np\.save"):
        npy_pair.load(folder)


@pytest.mark.parametrize("body", [b"hello", b"\x80\x04pickle"])
def test_no_npy_at_all(folder, body):
    (folder / "images.npy").write_bytes(body)
    with pytest.raises(UserError, match=r"images\.npy: not a whole \.npy file"):
        npy_pair.load(folder)


def test_an_archive_by_another_name(folder):
    with open(folder / "images.npy", "wb") as file:
        np.savez(file, x=X)
    with pytest.raises(UserError, match=r"not a whole \.npy file \(an archive\)"):
        npy_pair.load(folder)


def test_a_folder_in_the_place_of_a_file(folder):
    (folder / "labels.npy").unlink()
    (folder / "labels.npy").mkdir()
    with pytest.raises(UserError, match=r"labels\.npy: can't be read \(Is a directory\)"):
        npy_pair.load(folder)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (b"a\nb\nc\n", r"class_names\.txt holds 3 names for the 2 classes in labels\.npy"),
        (b"a\na\n", "holds a name twice"),
        ("cat\nhund ä".encode("latin-1"), "is not UTF-8"),
    ],
)
def test_names_that_cant_be(folder, names, message):
    (folder / "class_names.txt").write_bytes(names)
    with pytest.raises(UserError, match=message):
        npy_pair.load(folder)
