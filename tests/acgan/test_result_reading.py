import json

import pytest

from acgan.errors import UserError
from acgan.result_reading import read_result, read_results, sweep_of


def read(folder):
    return read_result(folder / "run.json")


def test_a_record_as_a_result(write_run, tmp_path):
    folder = write_run(
        tmp_path / "run",
        device="T4",
        policy="mixed_float16",
        batch_size=128,
        step_ms=20.0,
        **{
            "config.policy": "auto",
            "step_time_ms.p50": 19,
            "step_time_ms.p95": 25.0,
            "tensor_cores.kernel_time_percent": 40.0,
            "tensor_cores.cast_time_percent": 3.0,
            "tensor_cores.kernel_ms_per_step": 18.0,
            "loss_scale": {"generator": {"skipped_steps": 2}, "discriminator": None},
        },
    )
    result = read(folder)
    assert result.folder == folder
    assert result.policy == "mixed_float16"  # what "auto" became
    assert (result.batch_size, result.step_ms) == (128, 20.0)
    assert (result.step_ms_p50, result.step_ms_p95) == (19.0, 25.0)
    assert (result.kernel_time_percent, result.cast_time_percent) == (40.0, 3.0)
    assert result.kernel_ms_per_step == 18.0
    assert (result.skipped_steps_generator, result.skipped_steps_discriminator) == (2, None)
    assert (result.network, result.dataset) == ("article", "cifar10")
    assert (result.class_names, result.image_shape) == (("cat", "ship"), (32, 32, 3))
    assert result.usd_per_hour == 0.526
    assert result.device == result.gpu_name == "Tesla T4"
    assert result.sweep is result.fid is None
    assert result.history == ()


def test_quality_is_that_of_the_best_and_of_the_last_generator(write_run, tmp_path):
    history = [(5.0, 90.0), (10.0, 40.0), (15.0, 60.0)]
    result = read(write_run(tmp_path / "run", history=history))
    assert (result.fid, result.last_fid, result.fid_floor) == (40.0, 60.0, 0.5)
    assert result.class_accuracy == pytest.approx(0.2)
    assert result.last_class_accuracy == pytest.approx(0.3)
    assert result.history == ((10, 5.0, 90.0), (20, 10.0, 40.0), (30, 15.0, 60.0))


def test_a_judgement_that_was_not_finite_is_not_in_the_history(write_run, tmp_path):
    history = [(5.0, 90.0), (10.0, 40.0)]
    folder = write_run(tmp_path / "run", history=history)
    record = json.loads((folder / "run.json").read_text())
    record["quality"]["history"][0]["fid"] = None
    (folder / "run.json").write_text(json.dumps(record))
    assert read(folder).history == ((20, 10.0, 40.0),)


@pytest.mark.parametrize(
    ("changes", "device"),
    [
        ({"device": "V100"}, "Tesla V100-SXM2-16GB"),
        ({"device": "V100", "hardware.gpu_count": 4}, "4 x Tesla V100-SXM2-16GB"),
        ({"device": "CPU"}, "AMD EPYC 9124 16-Core Processor (8 CPUs)"),
        ({"device": "CPU", "hardware.cpu_count": 1}, "AMD EPYC 9124 16-Core Processor (1 CPU)"),
        ({"device": "CPU", "hardware.cpu_count": None}, "AMD EPYC 9124 16-Core Processor"),
    ],
)
def test_a_device_is_named_with_its_number(write_run, tmp_path, changes, device):
    assert read(write_run(tmp_path / "run", **changes)).device == device


def test_a_folder_of_data_goes_by_its_name(write_run, tmp_path):
    folder = write_run(tmp_path / "run", dataset="/home/me/photos/")
    assert read(folder).dataset == "photos"


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("step_time_ms.mean", "fast", "step_time_ms.mean is 'fast', not a number"),
        ("step_time_ms.mean", 0, "step_time_ms.mean is 0.0, not above 0"),
        ("step_time_ms.mean", float("nan"), "step_time_ms.mean is nan, not a number"),
        ("step_time_ms.mean", float("inf"), "step_time_ms.mean is inf, not a number"),
        ("step_time_ms.mean", True, "step_time_ms.mean is True, not a number"),
        ("step_time_ms", [1.0], "step_time_ms.mean is .*, not an object"),
        ("config.batch_size", 0, "config.batch_size is 0, not above 0"),
        ("config.batch_size", 64.0, "config.batch_size is 64.0, not a whole number"),
        ("config.batch_size", None, "config.batch_size is None, not a whole number"),
        ("cost.usd_per_hour", -1.0, "cost.usd_per_hour is -1.0, not above 0"),
        ("hardware.cpu_features", [["avx2"]], r"cpu_features\[0\] is \['avx2'\], not a text"),
        ("resolved.image_shape", [32, "x", 3], r"image_shape\[1\] is 'x', not a whole number"),
        ("hardware.compute_capability", "new", "compute_capability is 'new', not such as '7.5'"),
        ("quality", {"history": [{"fid": 1.0}]}, "quality.history.step is None, not a whole"),
        ("quality", {"history": [7]}, "quality.history.fid is 7, not an object"),
        ("status", None, "status is None, not a text"),
    ],
)
def test_a_damaged_field_is_named_with_its_file(write_run, tmp_path, path, value, message):
    folder = write_run(tmp_path / "run", **{path: value})
    with pytest.raises(UserError, match=f"{folder / 'run.json'} is damaged: .*{message}") as error:
        read(folder)
    assert "\n" not in str(error.value)


def test_a_number_too_large_to_be_one_is_damaged(write_run, tmp_path):
    folder = write_run(tmp_path / "run", step_ms=10**400)
    with pytest.raises(UserError, match=r"step_time_ms\.mean is 1000.*, not a number"):
        read(folder)


@pytest.mark.parametrize("field", ["resolved", "hardware"])
def test_a_run_that_ended_before_it_began_says_why(write_run, tmp_path, field):
    folder = write_run(tmp_path / "run", status="failed", message="no network", **{field: None})
    with pytest.raises(
        UserError, match=r"run\.json has no measurements: the run is 'failed' \(no network\)"
    ):
        read(folder)


def test_runs_are_found_at_any_depth(write_run, tmp_path):
    write_run(tmp_path / "a", step_ms=1.0)
    write_run(tmp_path / "many" / "b" / "c", step_ms=2.0)
    found = read_results([tmp_path / "a", tmp_path / "many"])
    assert [result.step_ms for result in found.runs] == [1.0, 2.0]
    assert found.left_out == ()


def test_a_run_named_twice_counts_once(write_run, tmp_path, monkeypatch):
    write_run(tmp_path / "runs" / "a")
    monkeypatch.chdir(tmp_path)
    found = read_results(["runs", "runs/a", tmp_path / "runs", "runs/../runs"])
    assert len(found.runs) == 1


def test_runs_know_their_sweep(write_run, tmp_path):
    folder = write_run(tmp_path / "sweep" / "runs" / "a")
    alone = write_run(tmp_path / "alone")
    (tmp_path / "sweep" / "sweep.json").write_text("{}")
    sweeps = {r.folder.name: r.sweep for r in read_results([tmp_path]).runs}
    assert sweeps == {"a": (tmp_path / "sweep").resolve(), "alone": None}
    assert sweep_of(folder) == (tmp_path / "sweep").resolve()
    assert sweep_of(alone) is None


BROKEN = {
    "truncated": ('{"format": 1, "status": "comp', "can't be read as a run's record"),
    "of another format": ('{"format": 2}', "not a run's record of format 1"),
    "without measurements": (
        '{"format": 1, "status": "running", "message": null, "resolved": null}',
        "has no measurements: the run is 'running'",
    ),
}


@pytest.mark.parametrize(("content", "message"), BROKEN.values(), ids=BROKEN)
def test_an_unreadable_run_is_left_out_with_a_line(write_run, tmp_path, content, message):
    write_run(tmp_path / "good")
    bad = tmp_path / "bad" / "run.json"
    bad.parent.mkdir()
    bad.write_text(content)
    found = read_results([tmp_path])
    assert [result.folder.name for result in found.runs] == ["good"]
    (line,) = found.left_out
    assert str(bad) in line
    assert message in line
    assert "\n" not in line


@pytest.mark.parametrize(("content", "message"), BROKEN.values(), ids=BROKEN)
def test_an_unreadable_run_alone_is_an_error_that_names_it(tmp_path, content, message):
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(UserError, match=f"no run can be read: {tmp_path / 'run.json'} .*{message}"):
        read_results([tmp_path])


def test_of_several_unreadable_runs_the_first_is_named_and_the_rest_counted(tmp_path):
    for name in "abc":
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_text("{")
    with pytest.raises(UserError, match=rf"{tmp_path}/a/run\.json .* \(2 more can't either\)"):
        read_results([tmp_path])


def test_a_folder_without_runs_is_refused(write_run, tmp_path):
    write_run(tmp_path / "good")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match=rf"{tmp_path / 'empty'} holds no run: no run\.json"):
        read_results([tmp_path / "good", tmp_path / "empty"])


@pytest.mark.parametrize("name", ["missing", "file"])
def test_what_is_no_folder_is_refused(tmp_path, name):
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=f"{tmp_path / name} is not a folder"):
        read_results([tmp_path / name])


def test_a_run_in_two_policies_is_left_out(write_run, tmp_path):
    changes = [[30, "float32", "mixed_float16"]]
    write_run(tmp_path / "a")
    write_run(tmp_path / "b", **{"resolved.policy_changes": changes})
    found = read_results([tmp_path])
    assert [run.folder.name for run in found.runs] == ["a"]
    (line,) = found.left_out
    assert "b/run.json was trained in more than one policy" in line
