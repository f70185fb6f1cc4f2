import glob
import subprocess
import sys

import pytest

PROGRAM = "import os, sys; from acgan.quiet import import_tensorflow; import_tensorflow({})"


def run(policy, then, **environment):
    done = subprocess.run(
        [sys.executable, "-c", f"{PROGRAM.format(repr(policy))}; {then}"],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "KERAS_BACKEND": "jax", **environment},
    )
    assert done.returncode == 0, done.stderr
    return done


def test_nothing_is_written_and_errors_are_seen_afterwards():
    done = run("float32", "print('later', file=sys.stderr)")
    assert done.stderr.endswith("later\n")


def test_keras_uses_tensorflow_whatever_the_environment_says():
    assert run("float32", "import keras; print(keras.backend.backend())").stdout == "tensorflow\n"


def test_on_a_cpu_all_policies_but_float16_go_with_onednn():
    shown = "print(os.environ.get('TF_ENABLE_ONEDNN_OPTS'))"
    on_a_cpu = not glob.glob("/dev/nvidia[0-9]*")
    assert run("mixed_float16", shown).stdout == ("0\n" if on_a_cpu else "None\n")
    assert run("float32", shown).stdout == ("1\n" if on_a_cpu else "None\n")


@pytest.mark.skipif(bool(glob.glob("/dev/nvidia[0-9]*")), reason="there is a GPU")
@pytest.mark.parametrize("policy, other", [("float32", "mixed_float16"), ("mixed_float16", None)])
def test_a_process_that_another_one_started_chooses_for_itself(policy, other):
    child = f"{PROGRAM.format(repr(other))}; print(os.environ['TF_ENABLE_ONEDNN_OPTS'])"
    start = f"import subprocess; subprocess.run([sys.executable, '-c', {child!r}], check=True)"
    assert run(policy, start).stdout == ("0\n" if other else "1\n")


def test_a_user_chooses_for_all():
    shown = "print(os.environ['TF_ENABLE_ONEDNN_OPTS'])"
    assert run("float32", shown, TF_ENABLE_ONEDNN_OPTS="0").stdout == "0\n"
    assert run("mixed_float16", shown, TF_ENABLE_ONEDNN_OPTS="1").stdout == "1\n"
