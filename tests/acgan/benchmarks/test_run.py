import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("flag", "said"),
    [
        ("--rows=1,99", "error: --rows=1,99: there is no row '99'"),
        ("--json=none/out.json", "error: --json=none/out.json can't be written"),
        ("--pairs=2", "flag --pairs=2"),
    ],
)
def test_a_mistake_is_refused_before_anything_is_measured(tmp_path, flag, said):
    command = [sys.executable, "-X", "importtime", "-m", "acgan.benchmarks.run", flag]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1
    assert said in done.stderr
    assert "| tensorflow\n" not in done.stderr
