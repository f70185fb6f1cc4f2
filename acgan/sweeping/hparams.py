"""The sweep in TensorBoard's HParams tab."""

import shutil
import tempfile
from pathlib import Path

import tensorflow as tf
from tensorboard.plugins.hparams import api as hp

# Tags of the figures that the tab shows, with the name of each in `acgan.results.Result`.
METRICS = {
    "sweep/step_time_ms": "step_ms",
    "sweep/images_per_second": "images_per_second",
    "sweep/usd_per_million_images": "usd_per_million_images",
    "sweep/tensor_cores_kernel_time_percent": "kernel_time_percent",
    "sweep/class_accuracy": "class_accuracy",
    "sweep/fid": "fid",
}
_EVENT_FILE = "events.out.tfevents.sweep"


def write_hparams(plan, results, log_dir):
    """Adds what is not there yet: what the sweep varies and measures, and each run's figures.

    Arguments:
        plan: an `acgan.sweeping.plan.Plan`.
        results: `acgan.results.Result`s of finished runs, named as in the plan.
        log_dir: a folder for TensorBoard; each run gets a folder in it.
    """
    log_dir = Path(log_dir)
    _write_once(log_dir / "sweep", lambda: _write_experiment(plan))
    for result in results:
        repeat = int(result.folder.name.rpartition("-")[2])
        _write_once(log_dir / result.folder.name, lambda: _write_run(result, repeat))  # noqa: B023


def _write_once(folder, write):
    """Calls `write` for an event file in a folder that has none, which is whole or not there.

    TensorBoard reads whatever has "tfevents" in its name, hidden or not, in any folder below its
    own: what is written stays elsewhere until it is whole.
    """
    if any(folder.glob("*tfevents*")):
        return
    with tempfile.TemporaryDirectory() as scratch:
        writer = tf.summary.create_file_writer(scratch)
        with writer.as_default(step=0):
            write()
        writer.close()
        (written,) = Path(scratch).iterdir()
        folder.mkdir(parents=True, exist_ok=True)
        partial = folder / f".{Path(scratch).name}.part"
        shutil.copyfile(written, partial)
        partial.replace(folder / _EVENT_FILE)  # the same name for all workers: it is there once


def _write_experiment(plan):
    domains = {
        "batch_size": None if plan.find_max_batch else hp.Discrete(list(plan.batch_sizes)),
        "policy": hp.Discrete(list(plan.policies)),
        "repeat": hp.Discrete(list(range(1, plan.repeats + 1))),
    }
    hp.hparams_config(
        hparams=[hp.HParam(name, domain) for name, domain in domains.items()],
        metrics=[hp.Metric(tag, display_name=tag.partition("/")[2]) for tag in METRICS],
    )


def _write_run(result, repeat):
    values = {"batch_size": result.batch_size, "policy": result.policy, "repeat": repeat}
    hp.hparams(values, trial_id=result.folder.name)
    for tag, name in METRICS.items():
        if (value := getattr(result, name)) is not None:
            tf.summary.scalar(tag, value)
