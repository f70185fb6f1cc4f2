"""Training processes that tell where their start went and how much memory they took."""

import functools
import json
import subprocess
import sys
import tempfile

from acgan.errors import UserError

BATCH, STEPS = 64, 5
FLAGS = (
    *("--policy=float32", "--network=dcgan", f"--batch_size={BATCH}", f"--steps={STEPS}"),
    *("--noevaluate", "--sample_every=0", "--checkpoint_minutes=0", "--noprofile"),
)


@functools.cache
def trained(times):
    """What `acgan.benchmarks.starting` printed, of some processes one after another.

    Returns:
        A list of dictionaries. The same ones are given to all who ask for as many.

    Raises:
        UserError: a process failed, with the last line that it printed.
    """
    return [train() for _ in range(times)]


def train(*flags):
    """What `acgan.benchmarks.starting` printed of one process, as a dictionary.

    Arguments:
        flags: of acgan.train, such as "--dataset=DIR", besides `FLAGS`.

    Raises:
        UserError: the process failed, with the last line that it printed.
    """
    with tempfile.TemporaryDirectory() as folder:
        all_flags = [*FLAGS, *flags, f"--run_dir={folder}/run"]
        process = subprocess.run(
            [sys.executable, "-m", "acgan.benchmarks.starting", *all_flags],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
    if process.returncode:
        said = (process.stderr.strip() or "nothing was printed").splitlines()[-1]
        raise UserError(f"a training process ended with status {process.returncode}: {said}")
    return json.loads(process.stdout.splitlines()[-1])
