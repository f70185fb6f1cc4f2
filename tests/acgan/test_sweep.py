"""The command as a user runs it: processes, killed and started again."""

import csv
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

SMALL = (
    *("--policies=float32,mixed_bfloat16", "--batch_sizes=8,16", "--repeats=1"),
    *("--steps=20", "--width=8", "--out=sweep"),
)


@pytest.fixture
def start(tmp_path):
    """Starts `acgan.sweep` in an empty folder; ends what still runs at the end of the test."""
    processes = []

    def begin(*flags, before=(), **environment):
        process = subprocess.Popen(
            [*before, sys.executable, "-m", "acgan.sweep", *flags],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env={**os.environ, **environment},
        )
        processes.append(process)
        return process

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


@pytest.fixture
def sweep(start):
    """Runs `acgan.sweep`; returns (exit status, standard output, standard error)."""

    def run(*flags, **environment):
        process = start(*flags, **environment)
        output, errors = process.communicate()
        return process.returncode, output, errors

    return run


def rows(folder):
    with open(folder / "results.csv", newline="") as file:
        return [(row["batch_size"], row["policy"], row["repeat"]) for row in csv.DictReader(file)]


ALL_ROWS = [
    ("8", "float32", "1"),
    ("8", "mixed_bfloat16", "1"),
    ("16", "float32", "1"),
    ("16", "mixed_bfloat16", "1"),
]


def without_advice(errors):
    """The lines of standard error without those about a CPU that has no fast bfloat16."""
    return [line for line in errors.splitlines() if not line.startswith("warning: ")]


def wait_for(condition, process, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("flags", "line"),
    [
        ([], "--out is missing"),
        (["--out=sweep", "--policies=float32,float16"], "--policies: 'float16' is none of"),
        (["--out=sweep", "--policies="], "--policies is empty"),
        (["--out=sweep", "--batch_sizes=32,many"], "--batch_sizes: 'many' is not a whole number"),
        (["--out=sweep", "--batch_sizes=32,32"], "--batch_sizes: 32 is given twice"),
        (["--out=sweep", "--batch_sizes=32,9000"], "--batch_sizes=9000 is more than the 5000"),
        (["--out=sweep", "--width=12"], "--width=12 is not a multiple of 8"),
        (["--out=sweep", "32"], "'32' is not a flag"),
        (["--out=there"], "--out=there exists and is no sweep: choose another folder"),
    ],
)
def test_a_mistake_is_one_line_before_anything_runs(sweep, tmp_path, flags, line):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "notes.txt").write_text("mine")
    status, _, errors = sweep(*flags)
    assert status == 1
    assert errors.startswith("error: ")
    assert line in errors
    assert errors.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_an_unknown_objective_is_refused(sweep, tmp_path):
    status, _, errors = sweep("--out=sweep", "--objective=beauty")
    assert status == 1
    assert "images_per_second|usd_per_million_images|step_time_ms" in errors
    assert list(tmp_path.iterdir()) == []


def test_half_an_address_is_refused(sweep):
    status, _, errors = sweep(*SMALL, KERASTUNER_ORACLE_IP="127.0.0.1")
    assert (status, errors.count("\n")) == (1, 1)
    assert "KERASTUNER_ORACLE_PORT is not" in errors


@pytest.mark.slow
def test_an_objective_in_usd_needs_a_price_before_the_first_run(sweep, tmp_path):
    status, _, errors = sweep(*SMALL, "--objective=usd_per_million_images")
    assert (status, errors.count("\n")) == (1, 1)
    assert "--objective=usd_per_million_images has no price to go by" in errors
    assert "--usd_per_hour" in errors
    assert not (tmp_path / "sweep" / "runs").exists()


@pytest.mark.slow
def test_killed_during_three_runs_a_sweep_ends_with_every_row_once(start, sweep, tmp_path):
    folder = tmp_path / "sweep"

    def runs_begun():
        return len(list(folder.glob("runs/*/run.json")))

    for run in (1, 2, 4):
        process = start(*SMALL)
        wait_for(lambda run=run: runs_begun() >= run, process)
        process.kill()
        process.communicate()
    kept = {path: path.read_text() for path in folder.glob("runs/*-1/run.json")}
    status, output, errors = sweep(*SMALL)
    assert status == 0, errors
    assert rows(folder) == ALL_ROWS
    finished = [text for text in kept.values() if '"status": "completed"' in text]
    assert len(finished) >= 2
    for path, text in kept.items():
        assert text not in finished or path.read_text() == text  # not run again
    assert "4/4" in output

    status, output, errors = sweep(*SMALL)  # nothing is left to do
    assert status == 0, errors
    assert "4 of them done" in output
    assert "4/4" not in output
    assert rows(folder) == ALL_ROWS

    status, _, errors = sweep(*SMALL, "--repeats=2")
    assert status == 1
    assert "--out=sweep is a sweep with --repeats=1, not 2" in errors


@pytest.mark.slow
def test_ctrl_c_ends_the_run_too_and_says_how_to_go_on(start, tmp_path):
    process = start(*SMALL)
    records = tmp_path / "sweep" / "runs"
    wait_for(lambda: list(records.glob("*/run.json")), process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 128 + signal.SIGINT
    assert without_advice(errors) == ["interrupted: the same command goes on from here"]
    (record,) = records.glob("*/run.json")
    assert '"status": "running"' not in record.read_text()


@pytest.mark.slow
def test_workers_share_a_sweep_and_other_hardware_is_refused(start, tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    address = {"KERASTUNER_ORACLE_IP": "127.0.0.1", "KERASTUNER_ORACLE_PORT": port}
    chief = start(*SMALL, KERASTUNER_TUNER_ID="chief", **address)
    workers = [start(*SMALL, KERASTUNER_TUNER_ID=f"tuner{n}", **address) for n in (0, 1)]
    if len(os.sched_getaffinity(0)) > 1:
        runs = tmp_path / "sweep" / "runs"
        wait_for(lambda: list(runs.glob("*/run.json")), chief)
        one_cpu = ("taskset", "--cpu-list", str(min(os.sched_getaffinity(0))))
        other = start(*SMALL, before=one_cpu, KERASTUNER_TUNER_ID="tuner2", **address)
        _, errors = other.communicate()
        assert other.returncode == 1
        (line,) = without_advice(errors)
        assert "(1 CPU), the sweep is of" in line
    for process in (*workers, chief):
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    assert rows(tmp_path / "sweep") == ALL_ROWS
