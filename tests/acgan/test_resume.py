"""Runs that are killed and go on, as a user does it: processes, signals, files."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray

from acgan.checkpoints import Checkpoints

STEPS = 60
SMALL = (
    *("--width=8", "--batch_size=16", "--seed=1", f"--steps={STEPS}", "--noevaluate"),
    *("--log_every=2", "--sample_every=20", "--checkpoint_every=7"),
)


@pytest.fixture
def start(tmp_path):
    processes = []

    def begin(*flags):
        process = subprocess.Popen(
            [sys.executable, "-m", "acgan.train", *flags],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
        )
        processes.append(process)
        return process

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


@pytest.fixture
def train(start):
    """Trains to the end; returns (exit status, standard output, standard error)."""

    def run(*flags):
        process = start(*flags)
        output, errors = process.communicate()
        return process.returncode, output, errors

    return run


def record_of(folder):
    return json.loads((folder / "run.json").read_text())


def steps_of(folder, tag="loss/generator"):
    events = EventAccumulator(str(folder / "tensorboard"), {"tensors": 0}).Reload()
    return [event.step for event in events.Tensors(tag)]


def tags_of(folder):
    events = EventAccumulator(str(folder / "tensorboard"), {"tensors": 0}).Reload()
    # The points of these are about the process, not about the step.
    own = ("step_time/", "throughput/")
    return [tag for tag in events.Tags()["tensors"] if not tag.startswith(own)]


def values_of(folder, tag):
    events = EventAccumulator(str(folder / "tensorboard"), {"tensors": 0}).Reload()
    return [make_ndarray(event.tensor_proto).item() for event in events.Tensors(tag)]


def weights(folder):
    newest = Checkpoints(folder / "checkpoints").newest()
    assert newest.step == STEPS
    return newest.arrays


def wait_for(condition, process, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


def same_to_the_last_bit(one, other):
    assert set(one) == set(other)
    # The means of the losses are reset by every `fit` and given back; what they log is compared.
    names = [name for name in one if not name.startswith("losses")]
    assert len(names) > 50
    return [name for name in names if one[name].tobytes() != other[name].tobytes()] == []


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["float32", "mixed_float16"])
def test_killed_three_times_a_run_ends_with_the_same_weights(start, train, tmp_path, policy):
    flags = (*SMALL, f"--policy={policy}")
    status, _, errors = train(*flags, "--run_dir=whole")
    assert status == 0, errors
    when = random.Random(policy)
    for saved in (1, 2, 4):
        process = start(*flags, "--run_dir=killed", "--resume")
        checkpoints = tmp_path / "killed" / "checkpoints"
        wait_for(lambda c=checkpoints, n=saved: newest_step(c) >= 7 * n, process)
        time.sleep(when.uniform(0, 0.2))  # at any moment of the steps that follow
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL
    status, output, errors = train("--run_dir=killed", "--resume")
    assert status == 0, errors
    assert "going on from step" in output
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert same_to_the_last_bit(weights(killed), weights(whole))
    assert steps_of(killed) == list(range(2, STEPS + 1, 2)) == steps_of(whole)
    assert steps_of(killed, "samples/by_class") == [20, 40, 60]
    for tag in tags_of(whole):
        assert steps_of(killed, tag) == steps_of(whole, tag), tag
    for tag in ("loss/generator", "loss/class_real"):
        assert values_of(killed, tag) == pytest.approx(values_of(whole, tag), rel=1e-6), tag
    assert list(killed.rglob("*.part*")) == []
    before, after = record_of(whole), record_of(killed)
    assert (after["status"], after["steps"], after["images"]) == ("completed", 60, 60 * 16)
    assert after["config"] == before["config"] | {"run_dir": "killed", "resume": True}
    assert after["seconds"]["total"] > after["seconds"]["train"] > 0

    status, output, _ = train("--run_dir=killed", "--resume")
    assert (status, output) == (0, "killed is completed after 60 steps\n")


def newest_step(checkpoints):
    paths = Checkpoints(checkpoints).paths()
    return int(paths[-1].stem.partition("-")[2]) if paths else 0


@pytest.mark.slow
def test_sigterm_saves_and_says_how_to_go_on(start, train, tmp_path):
    process = start(*SMALL, "--policy=float32", "--run_dir=run", "--checkpoint_every=0")
    record = tmp_path / "run" / "run.json"
    events = tmp_path / "run" / "tensorboard"
    wait_for(lambda: list(events.glob("*")), process)
    process.send_signal(signal.SIGTERM)
    output, errors = process.communicate()
    assert process.returncode == 128 + signal.SIGTERM, errors
    assert "--resume --run_dir=run goes on" in output
    steps = json.loads(record.read_text())["steps"]
    assert newest_step(tmp_path / "run" / "checkpoints") == steps > 0

    second = start("--resume", "--run_dir=run")
    third = None
    wait_for(lambda: "running" in record.read_text(), second)
    third = train("--resume", "--run_dir=run")
    assert third[0] == 1
    assert third[2] == "error: --run_dir=run: another process trains in it\n"
    _, errors = second.communicate()
    assert second.returncode == 0, errors
    assert steps_of(tmp_path / "run") == list(range(2, STEPS + 1, 2))


def write_record(folder, **changes):
    config = {"network": "dcgan", "width": 8, "policy": "auto", "classes": [], "steps": 60}
    record = {
        "format": 1,
        "status": "interrupted",
        "steps": 30,
        "config": config,
        "resolved": {"policy": "float32", "class_names": ["0", "1"]},
        **changes,
    }
    folder.mkdir()
    (folder / "run.json").write_text(json.dumps(record))


@pytest.mark.parametrize(
    ("flags", "line"),
    [
        (["--resume"], "--resume needs the run's folder"),
        (["--resume", "--run_dir=run", "--width=16"], "was trained with --width=8 and can't go on"),
        (["--resume", "--run_dir=run", "--network=article"], "with --network=dcgan"),
        (["--resume", "--run_dir=run", "--classes=0,1"], "with --classes= and"),
        (
            ["--resume", "--run_dir=run", "--policy=mixed_float16"],
            "with --policy=auto and can't go on with mixed_float16: leave the flag out, choose "
            "another folder, or give --allow_policy_change",
        ),
        (["--run_dir=run"], "--run_dir=run exists and is never overwritten"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(train, tmp_path, flags, line):
    write_record(tmp_path / "run")
    status, _, errors = train(*flags)
    assert status == 1
    assert errors.startswith("error: ")
    assert line in errors
    assert errors.count("\n") == 1


def test_a_completed_run_is_left_as_it_is(train, tmp_path):
    write_record(tmp_path / "run", status="completed")
    before = os.listdir(tmp_path / "run")
    assert train("--resume", "--run_dir=run") == (0, "run is completed after 30 steps\n", "")
    assert set(os.listdir(tmp_path / "run")) == {*before, ".lock"}


def test_a_record_that_is_cut_off_is_named(train, tmp_path):
    write_record(tmp_path / "run")
    (tmp_path / "run" / "run.json").write_text('{"format": 1, "sta')
    status, _, errors = train("--resume", "--run_dir=run")
    assert status == 1
    assert "run/run.json can't be read as a run's record" in errors


@pytest.mark.slow
def test_a_run_that_was_ended_after_its_last_step_is_brought_to_its_end(train, tmp_path):
    flags = ("--width=8", "--batch_size=16", "--noevaluate", "--run_dir=run", "--steps=20")
    status, _, errors = train(*flags, "--checkpoint_every=10")
    assert status == 0, errors
    folder = tmp_path / "run"
    saved = Checkpoints(folder / "checkpoints").newest().arrays
    before = record_of(folder)
    (folder / "run.json").write_text(json.dumps(before | {"status": "running"}))
    steps = {tag: steps_of(folder, tag) for tag in tags_of(folder)}
    status, _, errors = train("--resume", "--run_dir=run")
    assert status == 0, errors
    after = record_of(folder)
    assert (after["status"], after["steps"]) == ("completed", 20)
    assert after["step_time_ms"] == before["step_time_ms"]
    assert {tag: steps_of(folder, tag) for tag in tags_of(folder)} == steps
    arrays = Checkpoints(folder / "checkpoints").newest().arrays
    assert all(arrays[name].tobytes() == saved[name].tobytes() for name in saved)


@pytest.mark.slow
def test_a_change_of_policy_is_noted_and_the_loss_scale_begins_anew(train, tmp_path):
    flags = ("--width=8", "--batch_size=16", "--noevaluate", "--run_dir=run")
    status, _, errors = train(*flags, "--steps=5", "--policy=float32")
    assert status == 0, errors
    record = record_of(tmp_path / "run")
    (tmp_path / "run" / "run.json").write_text(json.dumps(record | {"status": "interrupted"}))
    more = ("--resume", "--steps=8", "--policy=mixed_float16", "--allow_policy_change")
    status, _, errors = train(*flags, *more)
    assert status == 0, errors
    record = record_of(tmp_path / "run")
    assert record["steps"] == 8
    assert record["resolved"]["policy"] == "mixed_float16"
    assert record["resolved"]["policy_changes"] == [[5, "float32", "mixed_float16"]]
    assert record["loss_scale"]["generator"] == {"final": 2.0**15, "skipped_steps": 0}
