"""Trains as acgan.train does, with its flags, and prints where its start went and its memory.

The last line is a JSON object: seconds of `imports`, `data`, `build` and `compile`, which add up to
the time from the process's start to the end of the first step; `memory_mb`, the most that the
process held; `gpu_memory_mb`, the most that TensorFlow held on the GPU, null without one.
"""

import json
import time
from pathlib import Path

from acgan import command, train

STATUS = Path("/proc/self/status")


def main(values):
    from acgan import loading
    from acgan.runs import RunFolder

    spent, load_dataset = {}, loading.load_dataset

    def timed_load(*arguments):
        begin = time.monotonic()
        dataset = load_dataset(*arguments)
        spent["data"] = time.monotonic() - begin
        return dataset

    import_tensorflow = train.import_tensorflow

    def timed_import(*arguments):
        from acgan.clock import process_started  # imports Keras, and TensorFlow with it

        import_tensorflow(*arguments)
        import acgan.training  # noqa: F401  as the command does next

        spent["imports"] = time.monotonic() - process_started() - spent["data"]

    loading.load_dataset, train.import_tensorflow = timed_load, timed_import
    status = train.main(values)
    seconds = json.loads(RunFolder(values["run_dir"]).record.read_text())["seconds"]
    print(json.dumps({**parts(spent, seconds), **memory()}))
    return status


def parts(spent, seconds):
    """Where the time went from the process's start to the end of the first step.

    Arguments:
        spent: seconds of "imports" and "data".
        seconds: the record's, of which "startup" holds both.
    """
    build = seconds["startup"] - spent["imports"] - spent["data"]
    return {**spent, "build": build, "compile": seconds["compile"]}


def memory():
    """The most that this process held so far, in MB; None where it can't be told."""
    import tensorflow as tf

    device = None
    if tf.config.list_physical_devices("GPU"):
        device = tf.config.experimental.get_memory_info("GPU:0")["peak"] / 1e6
    return {"memory_mb": peak_mb(STATUS), "gpu_memory_mb": device}


def peak_mb(status):
    """VmHWM of a status file of proc(5), in MB; None where there is none.

    `getrusage` would not do: what it gives begins with the size of the process that started this.
    """
    try:
        lines = Path(status).read_text().splitlines()
    except OSError:  # not Linux
        return None
    sizes = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
    return int(sizes[0]) * 1024 / 1e6 if sizes else None


if __name__ == "__main__":
    command.run(main, train.FLAGS)
