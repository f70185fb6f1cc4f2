import sqlite3

import pytest

from callbacks.tensor_cores import nsight_sqlite
from callbacks.tensor_cores.kernel import Device, Kernel
from callbacks.tensor_cores.profile_file import ProfileError


def read(path):
    notes = []
    kernels = list(nsight_sqlite.read(path, notes.append))
    return sorted(kernels, key=lambda kernel: kernel.name), notes


def test_kernels_are_added_up_per_name_and_gpu(make_sqlite):
    path = make_sqlite(
        [("a", 0, 2000, 0), ("a", 5000, 8000, 0), ("b", 0, 7000, 1)],
        gpus=[(0, "NVIDIA H100", 9, 0)],
    )
    assert read(path) == (
        [
            Kernel("a", "", 2.0 + 3.0, 2, Device("NVIDIA H100", "9.0", "Nvidia")),
            Kernel("b", "", 7.0, 1, Device()),
        ],
        [],
    )


def test_reading_leaves_a_read_only_folder_as_it_was(make_sqlite):
    path = make_sqlite([("a", 0, 2000, 0)])
    before = path.read_bytes()
    path.parent.chmod(0o500)
    try:
        read(path)
        assert [file.name for file in path.parent.iterdir()] == ["report.sqlite"]
    finally:
        path.parent.chmod(0o700)
    assert path.read_bytes() == before


def test_a_name_that_is_not_utf8_is_shown_by_its_bytes(make_sqlite):
    assert read(make_sqlite([(b"kernel_\xff", 0, 2000, 0)]))[0][0].name == "kernel_\\xff"


def test_nvtx_alone_is_no_kernels_and_says_how_to_record_them(make_sqlite):
    kernels, notes = read(make_sqlite([], with_kernel_table=False))
    assert kernels == []
    assert "--trace=cuda" in notes[0]


def test_another_database_is_refused(tmp_path):
    path = tmp_path / "other.sqlite"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE birds (name TEXT)")
    database.commit()
    database.close()
    with pytest.raises(ProfileError, match="no Nsight Systems export"):
        read(path)


@pytest.mark.parametrize("kept", [100, 5000])
def test_a_truncated_database_is_refused(make_sqlite, kept):
    path = make_sqlite([(f"kernel_{n}", 0, n, 0) for n in range(2000)])
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(ProfileError, match=r"report.sqlite: is a damaged SQLite file"):
        read(path)
