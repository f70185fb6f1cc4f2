"""TensorFlow without its chatter."""

import contextlib
import glob
import os
import sys
import tempfile

ONEDNN = "TF_ENABLE_ONEDNN_OPTS"
CHOSEN_HERE = "ACGAN_CHOSE_ONEDNN"  # tells a process whether a user gave it ONEDNN or its parent


def import_tensorflow(policy=None):
    """Imports TensorFlow, for the commands, with Keras set to use it.

    On a machine without a GPU TensorFlow's oneDNN kernels are turned on: by itself it uses them
    only on CPUs with AVX512, while on one with AVX2 a step took two thirds of the time with them.
    For mixed_float16 they are turned off: with them (TensorFlow 2.21) one float16 gradient of a
    convolution's filter took 2 s on a CPU with AVX512_FP16, without them 0.05 s.
    A user's `TF_ENABLE_ONEDNN_OPTS` overrides both; what this function chose in a process doesn't
    bind the processes that it starts, which may train in another policy.

    On a machine without a GPU the lines that TensorFlow writes to standard error about that, and
    about its CPU kernels, are left out. Where there is a GPU, or the import fails, they are shown:
    they may say what is wrong.
    """
    os.environ["KERAS_BACKEND"] = "tensorflow"  # whatever ~/.keras/keras.json says
    if glob.glob("/dev/nvidia[0-9]*") or os.path.exists("/dev/dxg"):
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
        import tensorflow  # noqa: F401

        return
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if ONEDNN not in os.environ or CHOSEN_HERE in os.environ:
        os.environ[ONEDNN] = "0" if policy == "mixed_float16" else "1"
        os.environ[CHOSEN_HERE] = "1"
    with _held_back_stderr():
        import tensorflow as tf

        tf.config.list_physical_devices()


@contextlib.contextmanager
def _held_back_stderr():
    """Holds back what anybody in this process writes to standard error; shows it on an error."""
    sys.stderr.flush()
    with tempfile.TemporaryFile() as held_back:
        stderr = os.dup(2)
        os.dup2(held_back.fileno(), 2)
        try:
            yield
        except BaseException:
            held_back.seek(0)
            os.write(stderr, held_back.read())
            raise
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
