"""Whether a run's memory grows: 10,000 steps of a small network through acgan.train itself."""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from acgan.errors import UserError

STEPS = 10_000
EVERY_SECONDS = 0.5
TRAINING = (
    *(f"--steps={STEPS}", "--batch_size=8", "--width=8", "--latent_dim=16", "--policy=float32"),
    *("--noevaluate", "--sample_every=250", "--checkpoint_every=500"),
)


def watch(folder, seed):
    """Trains in a process of its own and looks at its memory twice a second.

    Arguments:
        folder: a new folder for the run.
        seed: the run's.

    Returns:
        A list of (step, MB): the last step that the record holds, which is written every some
        seconds, and the memory that the process holds at that time.

    Raises:
        UserError: the run failed.
    """
    command = [sys.executable, "-m", "acgan.train", *TRAINING, f"--seed={seed}"]
    process = subprocess.Popen([*command, f"--run_dir={folder}"], stdout=subprocess.DEVNULL)
    samples = []
    try:
        while process.poll() is None:
            samples += _sample(process.pid, Path(folder) / "run.json")
            time.sleep(EVERY_SECONDS)
    finally:
        process.kill()
        process.wait()
    if process.returncode:
        raise UserError(f"the run in {folder} ended with status {process.returncode}")
    return samples


def growth(samples, steps=STEPS):
    """Median MB in the first quarter of the training and in the last.

    Arguments:
        samples: as `watch` gives them; those of before the first step don't count.
        steps: of the whole training.
    """
    first = [mb for step, mb in samples if 0 < step <= steps / 4]
    last = [mb for step, mb in samples if 3 * steps / 4 < step <= steps]
    if not first or not last:
        raise UserError(f"{len(samples)} looks at the run's memory are too few: train for longer")
    return statistics.median(first), statistics.median(last)


def _sample(pid, record):
    """A list of one (step, MB), or none while there is no record or no process any more."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        return [(json.loads(record.read_text())["steps"], pages * os.sysconf("SC_PAGE_SIZE") / 1e6)]
    except (OSError, IndexError):
        return []
