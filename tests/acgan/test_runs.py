import json
import threading
from datetime import datetime
from pathlib import Path

import pytest

from acgan.errors import UserError
from acgan.runs import FORMAT, MEASURED, Record, RunFolder, default_folder, read_record, to_json


def strictly(text):
    def refuse(constant):
        raise ValueError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


def test_a_new_folder_is_made_with_its_parents(tmp_path):
    folder = RunFolder(tmp_path / "a" / "b")
    folder.create()
    assert [path.name for path in folder.path.iterdir()] == ["run.json"]
    for path in (folder.record, folder.tensorboard, folder.samples, folder.generator):
        assert path.parent == tmp_path / "a" / "b"


def test_an_empty_folder_is_taken(tmp_path):
    RunFolder(tmp_path).create()
    assert (tmp_path / "run.json").exists()


def test_a_folder_with_something_in_it_is_refused_and_left_as_it_is(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    for method in (RunFolder(tmp_path).check_new, RunFolder(tmp_path).create):
        with pytest.raises(UserError, match=f"--run_dir={tmp_path} exists .*choose another"):
            method()
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_what_a_run_left_that_was_killed_at_its_very_beginning_is_cleared(tmp_path):
    RunFolder(tmp_path / "nowhere").clear_beginning()
    (tmp_path / ".run-17-0a.part.json").write_text("{")
    RunFolder(tmp_path).clear_beginning()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_a_run_is_none_to_go_on_with(tmp_path):
    (tmp_path / ".run-17-0a.part.json").write_text("{")
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UserError, match=f"--run_dir={tmp_path} holds no run to go on with"):
        RunFolder(tmp_path).clear_beginning()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_file_in_its_place_is_refused(tmp_path):
    file = tmp_path / "run"
    file.write_text("mine")
    with pytest.raises(UserError, match=f"--run_dir={file} exists"):
        RunFolder(file).create()
    assert file.read_text() == "mine"


def test_a_folder_that_cant_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()
    path = tmp_path / "file" / "run"
    with pytest.raises(UserError, match=rf"--run_dir={path} can't be written \(Not a directory\)"):
        RunFolder(path).create()


@pytest.mark.parametrize(
    ("dataset", "name"),
    [("mnist5k", "mnist5k"), ("data/my digits.npz", "my digits"), ("photos/", "photos")],
)
def test_the_default_folder_says_what_the_run_is(dataset, name):
    folder = default_folder(dataset, "float32", 64, datetime(2024, 3, 9, 7, 5, 1))
    assert folder == Path("runs") / f"20240309-070501-{name}-float32-b64"


@pytest.mark.parametrize("dataset", ["/", ".", ".."])
def test_the_default_folder_is_always_right_below_runs(dataset):
    assert default_folder(dataset, "float32", 64).parent == Path("runs")


def test_a_record_is_valid_json_with_every_field_and_reason(tmp_path):
    path = tmp_path / "run.json"
    record = Record(path, {"steps": 5, "classes": ("a", "b")}, lambda: {"steps": 3})
    record.update(loss_scale={"final": float("nan")}, hardware={"rates": [float("inf"), 1.5]})
    record.explain(quality="not judged yet", loss_scale="not needed")
    record.update(mfu_percent=12.5)
    record.save()
    written = strictly(path.read_text())
    assert set(written) == {
        *("format", "status", "message", "config", "resolved", "hardware", "steps", "images"),
        *(
            "seconds",
            "loss_scale",
            "quality",
            "reasons",
            "started",
            "failure",
            "findings",
            "rollbacks",
            *MEASURED,
        ),
    }
    assert (written["format"], written["status"], written["steps"]) == (1, "running", 3)
    assert written["config"] == {"steps": 5, "classes": ["a", "b"]}
    assert written["loss_scale"] == {"final": None}
    assert written["hardware"] == {"rates": [None, 1.5]}
    assert written["step_time_ms"] == dict.fromkeys(("mean", "p50", "p95", "measured_steps"))
    assert written["reasons"]["quality"] == "not judged yet"
    assert "mfu_percent" not in written["reasons"]
    assert "step_time_ms" in written["reasons"]
    assert read_record(path) == written


def test_a_field_with_any_part_measured_needs_no_reason(tmp_path):
    record = Record(tmp_path / "run.json", {})
    record.update(cost={"usd_per_hour": 0.0, "usd_total": None})
    record.save()
    assert "cost" not in strictly(record.path.read_text())["reasons"]


def test_a_writing_that_fails_leaves_the_record_whole(tmp_path):
    record = Record(tmp_path / "run.json", {})
    record.save()
    before = record.path.read_bytes()
    record.update(hardware=object())
    with pytest.raises(TypeError, match="not JSON serializable"):
        record.save()
    assert record.path.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_a_record_is_written_at_the_beginning_and_at_the_end(tmp_path):
    record = Record(tmp_path / "run.json", {})
    with record.writing(every_seconds=3600) as same:
        assert same is record
        assert read_record(record.path)["status"] == "running"
        record.update(status="completed")
        assert read_record(record.path)["status"] == "running"
    assert read_record(record.path)["status"] == "completed"
    assert "record" not in [thread.name for thread in threading.enumerate()]


def test_a_record_is_written_at_the_end_of_a_run_that_fails(tmp_path):
    record = Record(tmp_path / "run.json", {})
    with pytest.raises(RuntimeError), record.writing(every_seconds=3600):
        record.update(status="failed")
        raise RuntimeError
    assert read_record(record.path)["status"] == "failed"


def test_a_record_is_kept_fresh_while_the_run_is_busy(tmp_path):
    calls, third = [], threading.Event()

    def live():
        calls.append(len(calls) + 1)
        if len(calls) == 3:
            third.set()
        return {"steps": len(calls)}

    record = Record(tmp_path / "run.json", {}, live)
    with record.writing(every_seconds=0.01):
        assert third.wait(30)  # the second writing, the thread's first, is on disk by then
        assert read_record(record.path)["steps"] >= 2


def test_a_disk_that_fails_in_between_does_not_end_the_writing(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    calls, failed, again = [], threading.Event(), threading.Event()

    def live():
        calls.append(None)
        if len(calls) == 2:
            record.path.unlink()
            folder.rmdir()  # so that this writing fails
        if len(calls) == 3:
            failed.set()
            again.wait(30)
        return {"steps": len(calls)}

    record = Record(folder / "run.json", {}, live)
    with record.writing(every_seconds=0.01):
        assert failed.wait(30)
        folder.mkdir()
        again.set()
    assert read_record(record.path)["steps"] >= 4


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "can't be read as a run's record"),
        (b"\xff\xfe", "can't be read as a run's record"),
        (b"{}", "not a run's record of format 1"),
        (b"[1]", "not a run's record of format 1"),
        (b'{"format": 2}', "not a run's record of format 1"),
        (None, "does not exist: name the folder of a run"),
    ],
)
def test_what_is_no_record_is_refused(tmp_path, content, message):
    path = tmp_path / "run.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError, match=f"{path} .*{message}"):
        read_record(path)


def test_a_folder_in_place_of_a_record_is_refused(tmp_path):
    with pytest.raises(UserError, match=f"{tmp_path} can't be read"):
        read_record(tmp_path)


def test_json_has_null_for_what_is_not_finite():
    value = {"a": [1, (float("nan"), 2.5)], "b": {"c": float("-inf")}, "d": True, "e": None}
    assert strictly(to_json(value)) == {
        "a": [1, [None, 2.5]],
        "b": {"c": None},
        "d": True,
        "e": None,
    }
    assert to_json({"format": FORMAT}) == '{\n "format": 1\n}\n'
