import subprocess
import sys

PROGRAM = "import os, sys; from acgan.quiet import import_tensorflow; import_tensorflow({})"


def run(policy, then):
    done = subprocess.run(
        [sys.executable, "-c", f"{PROGRAM.format(repr(policy))}; {then}"],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "KERAS_BACKEND": "jax"},
    )
    assert done.returncode == 0, done.stderr
    return done


def test_nothing_is_written_and_errors_are_seen_afterwards():
    done = run("float32", "print('later', file=sys.stderr)")
    assert done.stderr.endswith("later\n")


def test_keras_uses_tensorflow_whatever_the_environment_says():
    assert run("float32", "import keras; print(keras.backend.backend())").stdout == "tensorflow\n"


def test_on_a_cpu_all_policies_but_float16_go_with_onednn():
    import glob

    shown = "print(os.environ.get('TF_ENABLE_ONEDNN_OPTS'))"
    on_a_cpu = not glob.glob("/dev/nvidia[0-9]*")
    assert run("mixed_float16", shown).stdout == ("0\n" if on_a_cpu else "None\n")
    assert run("float32", shown).stdout == ("1\n" if on_a_cpu else "None\n")
