import json
import subprocess
import sys

import pytest

from acgan.errors import UserError
from acgan.report import as_text, main
from acgan.reporting.headline import DeviceHeadline


@pytest.fixture
def runs(write_run, tmp_path):
    """A folder with a run in each of two policies."""
    for number, policy in enumerate(("float32", "mixed_float16"), 1):
        write_run(tmp_path / "runs" / policy, policy=policy, step_ms=100.0 / number)
    return tmp_path / "runs"


def flags(out, **changes):
    values = {"usd_per_hour": None, "provider": None, "spot": False, "target_fid": None}
    return {"out": out and str(out), **values, **changes}


def test_the_headline_and_the_page_are_said(runs, tmp_path, capsys):
    main(flags(tmp_path / "report"), [str(runs)])
    said = capsys.readouterr()
    title, *lines = said.out.splitlines()
    assert title == "Tesla T4: train in mixed_float16 at batch size 64"
    assert lines[0].startswith("  · 50 % less time than float32 at the same batch size")
    assert lines[-1] == str(tmp_path / "report" / "index.html")
    assert said.err == ""
    assert (tmp_path / "report" / "index.html").exists()


def test_groups_are_told_apart(runs, write_run, tmp_path, capsys):
    write_run(runs / "other", network="dcgan", width=64)
    main(flags(tmp_path / "report"), [str(runs)])
    said = capsys.readouterr().out
    assert "— article network, no width, cifar10" in said
    assert "— dcgan network, width 64, cifar10" in said


def test_a_price_counts_for_runs_that_had_none(write_run, tmp_path, capsys):
    write_run(tmp_path / "runs", device="CPU", step_ms=36.0)
    main(flags(tmp_path / "report", usd_per_hour=0.5), [str(tmp_path / "runs")])
    # 36 ms for 64 images: 10 hours for 64 million
    assert f"{10 * 0.5 / 64:.4f} USD per million images, at 0.5 USD/h" in capsys.readouterr().out
    assert (tmp_path / "report" / "figure-3.png").exists()


def test_the_price_of_an_fid_is_looked_up(write_run, tmp_path):
    write_run(tmp_path / "runs", history=[(10.0, 80.0), (20.0, 40.0)])
    main(flags(tmp_path / "report", target_fid=77.7), [str(tmp_path / "runs")])
    assert "77.7" in (tmp_path / "report" / "index.html").read_text()


def test_unreadable_runs_are_left_out_and_named(runs, tmp_path, capsys):
    broken = {"truncated": '{"format": 1', "future": json.dumps({"format": 99})}
    for name, text in broken.items():
        (runs / name).mkdir()
        (runs / name / "run.json").write_text(text)
    main(flags(tmp_path / "report"), [str(runs)])
    said = capsys.readouterr().err.splitlines()
    assert [line.startswith("left out: ") for line in said] == [True, True]
    page = (tmp_path / "report" / "index.html").read_text()
    for name in broken:
        path = str(runs / name / "run.json")
        assert any(path in line for line in said)
        assert path in page


@pytest.mark.parametrize(
    ("changes", "folders", "parts"),
    [
        ({"out": None}, ["runs"], ["--out is missing"]),
        ({}, [], ["no runs are given", "sweeps/t4"]),
        ({}, ["nowhere"], ["nowhere is not a folder"]),
        ({}, ["runs/float32/run.json"], ["run.json is not a folder"]),
        ({}, ["empty"], ["empty holds no run"]),
        ({"out": "runs"}, ["runs"], ["--out=", "runs exists and is not an empty folder"]),
    ],
    ids=str,
)
def test_what_is_wrong_is_named(runs, tmp_path, changes, folders, parts):
    (tmp_path / "empty").mkdir()
    out = changes.get("out", "report")
    with pytest.raises(UserError) as error:
        main(flags(out and tmp_path / out), [str(tmp_path / name) for name in folders])
    for part in parts:
        assert part in str(error.value)
    assert not (tmp_path / "report").exists()


def test_runs_without_measurements_are_one_line(tmp_path):
    (tmp_path / "runs").mkdir()
    record = {"format": 1, "status": "failed", "message": "no GPU", "resolved": None}
    (tmp_path / "runs" / "run.json").write_text(json.dumps(record))
    with pytest.raises(UserError, match=r"no run can be read: .*no measurements.*no GPU"):
        main(flags(tmp_path / "report"), [str(tmp_path / "runs")])


def test_one_price_is_refused_for_several_devices(runs, write_run, tmp_path):
    write_run(runs / "other", device="V100")
    with pytest.raises(UserError, match="is one price, but the runs are of 2 devices"):
        main(flags(tmp_path / "report", usd_per_hour=0.5), [str(runs)])
    assert not (tmp_path / "report").exists()


def test_lines_are_broken_to_a_terminal_s_width():
    headline = DeviceHeadline("T4", "T4: train", ("41 % less time than float32 takes",))
    assert as_text(headline) == ["T4: train", "  · 41 % less time than float32 takes"]
    assert as_text(headline, 25) == ["T4: train", "  · 41 % less time than", "    float32 takes"]


def test_tensorflow_is_not_needed(runs, tmp_path):
    code = (
        "import sys; from acgan.report import main; "
        f"main({flags(tmp_path / 'report')!r}, [{str(runs)!r}]); "
        "sys.exit(any(name in sys.modules for name in ('tensorflow', 'keras')))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
