import csv

import pytest

from acgan.errors import UserError
from acgan.new_folder import check_new
from acgan.reporting import report_folder
from acgan.reporting.report_folder import write_report
from acgan.result_reading import read_results

TIMES = {"float32": {8: [10.0], 16: [20.0]}, "mixed_float16": {8: [11.0], 16: [12.0]}}


@pytest.fixture
def results(write_sweep, tmp_path):
    return read_results([write_sweep(tmp_path / "sweep", TIMES)])


def test_a_report_is_a_page_with_its_figures_and_the_table(results, tmp_path):
    sections = write_report(results, tmp_path / "new" / "report")
    assert len(sections) == 1
    names = sorted(path.name for path in (tmp_path / "new" / "report").iterdir())
    assert names == [
        *(f"figure-{number}.{kind}" for number in (1, 2, 3) for kind in ("png", "svg")),
        *("index.html", "results.csv"),
    ]
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["report"]
    with (tmp_path / "new" / "report" / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4
    found = (tmp_path / "new" / "report" / rows[0]["folder"]).resolve()
    assert found == (tmp_path / "sweep" / "runs" / "b8-float32-1").resolve()


def test_the_same_runs_give_the_same_report(results, tmp_path):
    for name in ("a", "b"):
        write_report(results, tmp_path / name)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_groups_have_figures_of_their_own(write_sweep, tmp_path):
    for network in ("article", "dcgan"):
        write_sweep(tmp_path / "sweeps" / network, TIMES, network=network)
    sections = write_report(read_results([tmp_path / "sweeps"]), tmp_path / "report")
    assert len(sections) == 2
    names = {path.name for path in (tmp_path / "report").iterdir()}
    assert {"figure-1.svg", "figure-1-group-2.svg", "figure-3-group-2.png"} < names


def test_an_empty_folder_is_filled_and_stays_the_same_folder(results, tmp_path):
    out = tmp_path / "report"
    out.mkdir()
    before = out.stat().st_ino
    write_report(results, out)
    assert out.stat().st_ino == before
    assert (out / "index.html").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report", "sweep"]


def test_what_is_there_is_not_overwritten(results, tmp_path):
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "mine.txt").touch()
    (tmp_path / "file").touch()
    for name in ("report", "file"):
        with pytest.raises(UserError, match=f"--out={tmp_path / name} exists"):
            write_report(results, tmp_path / name)
    assert [path.name for path in (tmp_path / "report").iterdir()] == ["mine.txt"]
    check_new(tmp_path / "new")


def test_a_folder_that_cant_be_made_is_named(results, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"--out=.*file/report can't be written \(.*/file.*\)"):
        write_report(results, tmp_path / "file" / "report")


def test_nothing_half_written_is_left(results, tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(report_folder, "write_results", fail)
    with pytest.raises(OSError, match="No space left"):
        write_report(results, tmp_path / "report")
    assert [path.name for path in tmp_path.iterdir()] == ["sweep"]
