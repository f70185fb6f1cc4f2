import gzip

import pytest

from callbacks.tensor_cores import readers
from callbacks.tensor_cores.profile_file import ProfileError


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.json", b'{"traceEvents": []}', "Chrome trace"),
        ("a.json", b'\xef\xbb\xbf [ {"ph": "X"}]', "Chrome trace"),
        ("a.json.gz", gzip.compress(b'{"traceEvents": []}', mtime=0), "Chrome trace"),
        ("a.log", b"==12== NVPROF is profiling process 12", "nvprof CSV log"),
        ("a.txt", b'"Type","Time(%)","Time","Calls"', "nvprof CSV log"),
        ("a.json", b'"Start","Duration","Grid X"', "nvprof CSV log"),
        ("a.db", b"SQLite format 3\0....", "Nsight Systems SQLite export"),
        ("a.xplane.pb", b"\x0a\x04abcd", "XSpace"),
        ("a.xplane.pb.gz", gzip.compress(b"\x0a\x04abcd", mtime=0), "XSpace"),
        ("a.xplane.pb", b"garbage", "XSpace"),
        ("a.json", b"garbage", "Chrome trace"),
        ("a.sqlite", b"garbage", "Nsight Systems SQLite export"),
    ],
)
def test_content_tells_the_format_and_the_suffix_helps_where_it_does_not(
    tmp_path, name, content, expected
):
    path = tmp_path / name
    path.write_bytes(content)
    assert readers.format_of(path).name == expected


@pytest.mark.parametrize("suffix", [row.suffix for row in readers.FORMATS])
def test_garbage_under_the_right_name_is_refused(tmp_path, suffix):
    path = tmp_path / f"profile{suffix}"
    path.write_bytes(b"garbage, and no profile at all")
    with pytest.raises(ProfileError, match=f"profile{suffix}: "):
        list(readers.read(path))


@pytest.mark.parametrize("suffix", [row.suffix for row in readers.FORMATS])
@pytest.mark.parametrize("content", [b"", b"\0" * 64, b"\n\n", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_refused(tmp_path, suffix, content):
    path = tmp_path / f"profile{suffix}"
    path.write_bytes(content)
    with pytest.raises(ProfileError, match="is empty"):
        list(readers.read(path))


@pytest.mark.parametrize("kept", [5, 15, 3000])
def test_gzip_that_breaks_off_is_refused(tmp_path, kept):
    path = tmp_path / "a.pt.trace.json.gz"
    numbers = ", ".join(str(n * n) for n in range(5000))
    path.write_bytes(gzip.compress(f'{{"traceEvents": [{numbers}]}}'.encode())[:kept])
    with pytest.raises(ProfileError, match="its gzip data is broken off"):
        list(readers.read(path))


def test_a_folder_and_a_missing_file_are_named(tmp_path):
    with pytest.raises(ProfileError, match="is a folder"):
        list(readers.read(tmp_path))
    with pytest.raises(ProfileError, match=r"no\.json: no such file"):
        list(readers.read(tmp_path / "no.json"))


def test_an_unknown_format_lists_the_known_ones(tmp_path):
    path = tmp_path / "profile.docx"
    path.write_bytes(b"garbage")
    with pytest.raises(ProfileError, match=r"known are .*XSpace \(\.pb\)"):
        list(readers.read(path))
