"""Two processes on this machine stand for two machines; program.py is what they run."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

PROGRAM = Path(__file__).with_name("program.py")
pytestmark = pytest.mark.slow


@pytest.fixture
def start(root, tmp_path):
    """`start(policy, steps)` gives two running workers; what still runs at the end is killed."""
    started = []

    def start(policy, steps):
        free = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
        *ports, heartbeat_port = (server.getsockname()[1] for server in free)
        for server in free:
            server.close()
        addresses = [f"127.0.0.1:{port}" for port in ports]
        for index in range(2):
            task = {"type": "worker", "index": index}
            config = json.dumps({"cluster": {"worker": addresses}, "task": task})
            arguments = [policy, str(steps), str(heartbeat_port), str(tmp_path / f"{index}.npz")]
            started.append(
                subprocess.Popen(
                    [sys.executable, str(PROGRAM), *arguments],
                    env={**os.environ, "TF_CONFIG": config, "PYTHONPATH": str(root)},
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
            )
        return addresses, started

    yield start
    for process in started:
        process.kill()
        process.stdout.close()
        process.wait()


def read_until(process, beginning):
    return next(line for line in process.stdout if line.startswith(beginning))


@pytest.mark.parametrize("policy", ["float32", "mixed_float16"])
def test_both_end_at_the_same_step_with_the_same_state_to_the_last_bit(start, tmp_path, policy):
    _, workers = start(policy, 10)
    outputs = [worker.communicate(timeout=300)[0] for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0], outputs
    steps = [re.findall(r"^step \d+: .*", output, re.M) for output in outputs]
    assert steps[0][-1].startswith("step 10: ")
    assert steps[0] == steps[1]  # losses, too, to the last digit
    assert all("\n9 steps were measured\n" in output for output in outputs)
    assert all("\ncopied from the chief: True\n" in output for output in outputs)
    assert all("\ndone from the chief\n" in output for output in outputs)
    with np.load(tmp_path / "0.npz") as first, np.load(tmp_path / "1.npz") as second:
        assert first.files == second.files
        assert all(np.array_equal(first[name], second[name]) for name in first.files)
        assert all(np.isfinite(first[name]).all() for name in first.files)


@pytest.mark.parametrize("killed", [0, 1])
def test_a_worker_that_is_killed_ends_the_other_with_a_line(start, killed):
    addresses, workers = start("float32", 10**9)
    read_until(workers[killed], "step 3")
    workers[killed].send_signal(signal.SIGKILL)
    output, _ = workers[1 - killed].communicate(timeout=60)
    assert workers[1 - killed].returncode == 1
    name = f"worker {killed} ({addresses[killed]})"
    assert output.endswith(f"error: {name} is lost: its process ended or the connection broke\n")
