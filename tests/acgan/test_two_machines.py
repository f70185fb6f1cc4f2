"""acgan.train on two machines, for which two processes stand."""

import json
import os
import signal
import socket
import subprocess
import sys

import pytest

from acgan.checkpoints import Checkpoints

SMALL = ("--width=8", "--batch_size=16", "--noevaluate", "--sample_every=0", "--log_every=2")


@pytest.fixture
def start(tmp_path):
    """Starts the two processes: `start(*flags, second=())`; the second has further flags."""
    started = []

    def begin(*flags, second=()):
        free = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
        *ports, heartbeat_port = (server.getsockname()[1] for server in free)
        for server in free:
            server.close()
        addresses = [f"127.0.0.1:{port}" for port in ports]
        for index, own in enumerate((("--run_dir=run",), second)):
            task = {"type": "worker", "index": index}
            config = json.dumps({"cluster": {"worker": addresses}, "task": task})
            common = (*SMALL, f"--heartbeat_port={heartbeat_port}")
            started.append(
                subprocess.Popen(
                    [sys.executable, "-m", "acgan.train", *common, *flags, *own],
                    env={**os.environ, "TF_CONFIG": config},
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    cwd=tmp_path,
                )
            )
        return started[-2:]

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def finish(processes):
    return [process.communicate(timeout=300)[0] for process in processes]


def record_in(folder):
    return json.loads((folder / "run" / "run.json").read_text())


@pytest.mark.slow
def test_a_run_goes_on_with_both_after_one_was_killed(start, tmp_path):
    chief, other = start("--steps=100000", "--checkpoint_every=5")
    saved = Checkpoints(tmp_path / "run" / "checkpoints")
    for line in chief.stdout:
        if "step 1 " in line:
            break
    while not saved.paths():
        assert chief.poll() is None
    other.send_signal(signal.SIGKILL)
    output = chief.communicate(timeout=60)[0]
    assert chief.returncode == 1
    line = output.splitlines()[-1]
    assert line.startswith("error: worker 1 (127.0.0.1:")
    assert line.endswith("start all workers again with --resume --run_dir=run")
    record = record_in(tmp_path)
    assert (record["status"], f"error: {record['message']}") == ("failed", line)

    step = saved.newest().step
    processes = start("--steps=100000", "--checkpoint_every=5", "--resume", f"--steps={step + 20}")
    outputs = finish(processes)
    assert [process.returncode for process in processes] == [0, 0], outputs
    assert f"going on from step {step:,}" in outputs[0]
    record = record_in(tmp_path)
    assert (record["status"], record["steps"]) == ("completed", step + 20)
    assert (record["resolved"]["replicas"], record["resolved"]["workers"]) == (2, 2)
    assert record["images"] == (step + 20) * 16
    assert saved.newest().step == step + 20

    processes = start("--resume")
    says = f"run is completed after {step + 20} steps\n"
    assert [output.endswith(says) for output in finish(processes)] == [True, True]


@pytest.mark.slow
def test_ctrl_c_on_either_saves_and_ends_both_and_both_go_back_together(start, tmp_path):
    flags = ("--on_divergence=rollback", "--learning_rate=1e30", "--rollback_factor=1e-34")
    chief, other = start("--steps=100000", *flags)
    for line in chief.stdout:
        if "rollback 1 of 3" in line:
            break
    for line in chief.stdout:
        if "images/s" in line:
            break
    other.send_signal(signal.SIGINT)
    outputs = finish((chief, other))
    assert (chief.returncode, other.returncode) == (1, 128 + signal.SIGINT), outputs
    record = record_in(tmp_path)
    message = "interrupted by another machine; --resume --run_dir=run goes on"
    assert (record["status"], record["message"]) == ("interrupted", message)
    assert len(record["rollbacks"]) == 1
    assert Checkpoints(tmp_path / "run" / "checkpoints").newest().step == record["steps"]


@pytest.mark.parametrize(
    ("second", "line"),
    [
        (("--seed=7",), "--seed is 7 on worker 1"),
        (("--batch_size=32",), "--batch_size is 32 on worker 1"),
    ],
)
def test_different_flags_are_refused_on_both(start, second, line):
    for process in (processes := start("--seed=3", "--steps=5", second=second)):
        output = process.communicate(timeout=60)[0]
        assert process.returncode == 1
        assert f"error: {line}" in output
        assert "start all workers with the same code, data and flags" in output
    assert len(processes) == 2


def test_what_several_machines_cant_do_is_refused(start):
    for process, output in zip(processes := start("--jit_compile"), finish(processes), strict=True):
        assert process.returncode == 1
        assert output == "error: --jit_compile can't be used on several machines: leave it out\n"
