import os
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux's")


@pytest.fixture(autouse=True)
def child(tmp_path, monkeypatch):
    """Writes the module that is to be run."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def write(program):
        (tmp_path / "child.py").write_text(program)

    return write


def bound(parent, *flags):
    return subprocess.run(
        [sys.executable, "-m", "acgan.sweeping.bound", str(parent), "child", *flags],
        capture_output=True,
        text=True,
    )


def test_a_module_is_run_as_python_does(child):
    child("import sys\nprint(__name__, sys.argv[1:], __file__ == sys.argv[0])\nsys.exit(3)\n")
    done = bound(os.getpid(), "--steps=5", "two words", "")
    assert done.stdout == "__main__ ['--steps=5', 'two words', ''] True\n"
    assert (done.returncode, done.stderr) == (3, "")


def test_it_does_not_start_if_its_parent_has_ended(child):
    child("print('started')\n")
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    done = bound(ended.pid)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_it_is_killed_when_its_parent_is(child):
    child("import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(600)\n")
    parent = (
        "import os, subprocess, sys\n"
        "command = [sys.executable, '-m', 'acgan.sweeping.bound', str(os.getpid()), 'child']\n"
        "subprocess.Popen(command, start_new_session=True).wait()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True
    ) as process:
        pid = int(process.stdout.readline())
        process.kill()
        try:
            # The output ends when all that write to it have ended: the parent and its child.
            assert process.communicate(timeout=60) == ("", None)
        except subprocess.TimeoutExpired:
            os.kill(pid, signal.SIGKILL)
            raise
