import pytest

from acgan.benchmarks.starting import parts, peak_mb


def test_the_parts_add_up_to_the_first_step():
    found = parts({"imports": 5.0, "data": 0.5}, {"startup": 7.0, "compile": 2.0, "train": 9.0})
    assert found == {"imports": 5.0, "data": 0.5, "build": 7 - 5 - 0.5, "compile": 2.0}


def test_peak_memory_is_the_high_water_mark(tmp_path):
    (tmp_path / "status").write_text("Name:\tpython\nVmPeak:\t 9 kB\nVmHWM:\t  2000 kB\n")
    assert peak_mb(tmp_path / "status") == pytest.approx(2000 * 1024 / 1e6)
    assert peak_mb(tmp_path / "none") is None
