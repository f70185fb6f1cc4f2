import numpy as np
import pytest

from acgan.datasets.npz import load
from acgan.errors import UserError

X = np.arange(3 * 8 * 8, dtype=np.uint8).reshape(3, 8, 8)
Y = np.array([0, 1, 1])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "mine.npz"


def test_grey_images_without_names(path):
    np.savez(path, x=X, y=Y)
    dataset = load(path)
    assert (dataset.images == X[..., None]).all()
    assert dataset.labels.tolist() == [0, 1, 1] and dataset.labels.dtype == np.int32
    assert dataset.class_names == ("0", "1")
    assert dataset.name == str(path)


def test_colour_floats_column_labels_and_names(path):
    x = np.full((3, 8, 8, 3), 0.2, np.float32)
    np.savez_compressed(path, x=x, y=Y.astype(np.uint8)[:, None], class_names=["cat", "dog"])
    dataset = load(path)
    assert dataset.image_shape == (8, 8, 3) and (dataset.images == 51).all()
    assert dataset.labels.tolist() == [0, 1, 1]
    assert dataset.class_names == ("cat", "dog")


def test_names_in_bytes(path):
    np.savez(path, x=X, y=Y, class_names=np.array([b"cat", "hund ä".encode()]))
    assert load(path).class_names == ("cat", "hund ä")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"y": Y}, "no array 'x', but y"),
        ({"x": X}, "no array 'y', but x"),
        ({"images": X, "labels": Y}, "no array 'x', but images, labels"),
        ({"x": X, "y": Y[:2]}, "3 images in x but 2 labels in y"),
        ({"x": X.astype(object), "y": Y}, "'x' is an object array, which is never unpickled"),
        ({"x": X, "y": Y.astype(object)}, "'y' is an object array"),
        ({"x": X, "y": Y, "class_names": np.array(["a", "b"], object)}, "'class_names' is an obj"),
        ({"x": X / 50 - 1, "y": Y}, r"mine.npz: x: float64 pixels of -1\.\.2.82: scale"),
        ({"x": X.reshape(3, 64), "y": Y}, r"\[3, 64\].*: x.reshape\(-1, 8, 8\)"),
        ({"x": X.reshape(3, 4, 16)[:, :, :15], "y": Y}, "4x15 pixels are not square"),
        ({"x": np.zeros((3, 30, 30), np.uint8), "y": Y}, "resize them to 28x28 or 32x32"),
        ({"x": np.zeros((3, 3, 8, 8), np.uint8), "y": Y}, "channels first"),
        ({"x": np.zeros((0, 8, 8), np.uint8), "y": Y[:0]}, r"x is \[0, 8, 8\]"),
        ({"x": X, "y": Y / 1.0}, "y is float64: integer labels"),
        ({"x": X, "y": np.array(["a", "b", "b"])}, "y is <U1: integer labels"),
        ({"x": X, "y": Y - 1}, r"negative labels \(-1\)"),
        ({"x": X, "y": Y * 0}, r"single class \(0\)"),
        ({"x": X, "y": Y + 1}, r"up to 2 but none of 0: number the classes 0\.\.1"),
        ({"x": X, "y": np.array([0, 1, 3])}, "up to 3 but none of 2: number"),
        ({"x": X, "y": np.array([0, 1, 10**9])}, "none of 2, 3, 4, 5, 6 and 999999993 more"),
        ({"x": X, "y": np.eye(3, dtype=int)}, r"\[3, 3\], not \[count\] .*argmax"),
        (
            {"x": X, "y": Y, "class_names": ["a", "b", "c"]},
            "class_names holds 3 names for the 2 classes in y",
        ),
        ({"x": X, "y": Y, "class_names": ["a", "a"]}, "a name twice"),
        ({"x": X, "y": Y, "class_names": [1, 2]}, "class_names is int64"),
    ],
)
def test_refuses_other_contents(path, arrays, message):
    np.savez(path, **arrays)
    with pytest.raises(UserError, match=message) as caught:
        load(path)
    assert str(path) in str(caught.value)


class Bomb:
    def __reduce__(self):
        return exec, ("raise SystemExit('unpickled')",)


def test_nothing_is_ever_unpickled(path):
    np.savez(path, x=np.array([Bomb()], object), y=Y)
    with pytest.raises(UserError, match="never unpickled"):
        load(path)


def test_truncated_file(path):
    np.savez(path, x=X, y=Y)
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(UserError, match=r"not a whole \.npz file"):
        load(path)


def test_damaged_member(path):
    np.savez(path, x=X, y=Y)
    body = bytearray(path.read_bytes())
    body[250] ^= 1  # among x's pixels
    path.write_bytes(body)
    with pytest.raises(UserError, match=r"not a whole \.npz file.*CRC"):
        load(path)


@pytest.mark.parametrize("body", [b"", b"hello", b"\x80\x04pickle"])
def test_no_npz_at_all(path, body):
    path.write_bytes(body)
    with pytest.raises(UserError, match=r"not a whole \.npz file"):
        load(path)


def test_a_single_array_under_another_name(path):
    with open(path, "wb") as file:
        np.save(file, X)
    with pytest.raises(UserError, match=r"a single array \(\.npy\)"):
        load(path)


def test_real_drawings(shared_data):
    dataset = load(shared_data / "quickdraw10.npz")
    assert dataset.images.shape == (10_000, 28, 28, 1)
    assert dataset.class_names[:2] == ("airplane", "apple")
    assert np.bincount(dataset.labels).tolist() == [1000] * 10


def test_names_in_another_encoding(path):
    np.savez(path, x=X, y=Y, class_names=np.array([b"cat", "hund ä".encode("latin-1")]))
    with pytest.raises(UserError, match="class_names is not UTF-8"):
        load(path)


def test_a_member_that_is_no_array(path):
    import zipfile

    np.savez(path, y=Y)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("x.npy", b"no array at all")
    with pytest.raises(UserError, match="not a whole"):
        load(path)
