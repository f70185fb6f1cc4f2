import numpy as np
import pytest

from acgan.datasets.drawings_file import read_drawings, read_header


@pytest.fixture
def path(tmp_path, make_drawings):
    np.save(tmp_path / "cat.npy", make_drawings(5))
    return tmp_path / "cat.npy"


def test_reads_all_or_the_first(path):
    assert read_header(path) == (128, 5)
    assert read_drawings(path)[:, 783].tolist() == [0, 1, 2, 3, 4]
    assert read_drawings(path, 2).shape == (2, 784)
    assert read_drawings(path, 9).shape == (5, 784)


def test_the_header_of_the_official_files_has_80_bytes(tmp_path):
    # As older NumPy versions padded it: to a multiple of 16, 10 bytes of preamble included.
    text = b"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 784), }"
    head = b"\x93NUMPY\x01\x00" + (70).to_bytes(2, "little") + text.ljust(69) + b"\n"
    path = tmp_path / "old.npy"
    path.write_bytes(head + bytes(784) + b"\x09" * 784)
    assert read_header(path) == (80, 2)
    assert read_drawings(path)[:, 0].tolist() == [0, 9]


@pytest.mark.parametrize("extra", [-1, 1])
def test_the_length_must_be_the_headers(path, extra):
    body = path.read_bytes()
    path.write_bytes(body[:extra] if extra < 0 else body + b"x")
    # 128 + 784 * 5 = 4048
    with pytest.raises(ValueError, match=f"{4048 + extra} bytes instead of 4048"):
        read_drawings(path)


@pytest.mark.parametrize("body", [b"", b"\x93NUMPY", b"\x93NUMPY\x09\x00", b"PK\x03\x04 and more"])
def test_other_files_are_refused(path, body):
    path.write_bytes(body)
    with pytest.raises(ValueError, match="not a NumPy file"):
        read_header(path)
