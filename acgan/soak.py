"""Kills a run again and again and lets it go on: python -m acgan.soak --out=DIR [--kills=20]

Says whether it ends as one that nobody killed: with the same weights to the last bit, every step
once in TensorBoard, and no half-written file. With --leak it trains for 10,000 steps instead and
says how much the memory of the process grew, and with --scale it measures how cost grows with the
work. Each takes some minutes.
"""

import random
import subprocess
import sys
import time
from pathlib import Path

from absl import logging as absl_logging

from acgan import command, leaking
from acgan.errors import UserError
from acgan.new_folder import make_new
from acgan.quiet import import_tensorflow

FLAGS = ("output", "seed", "soaking")
STEPS, LOG_EVERY = 1500, 5
TRAINING = (
    *(f"--steps={STEPS}", f"--log_every={LOG_EVERY}", "--checkpoint_every=25", "--noevaluate"),
    *("--sample_every=250", "--policy=float32"),
)
LIFE_SECONDS = (3.0, 15.0)  # start-up takes some of it, so that kills fall there, too


def main(values):
    if values["leak"] and values["scale"]:
        raise UserError("--leak and --scale are two measurements: give one of them")
    if not values["out"]:
        raise UserError("--out is missing: give a folder with --out=DIR")
    out = Path(values["out"])
    make_new(out)
    if values["scale"]:
        return measure_scale(out)
    return look_for_leak(values, out) if values["leak"] else kill(values, out)


def look_for_leak(values, out):
    """Prints by how much the memory of a long run grew."""
    first, last = leaking.growth(leaking.watch(out / "long", values["seed"]))
    print(
        f"{leaking.STEPS:,} steps: {first:,.1f} MB in the first quarter, {last:,.1f} MB in the last"
        f", growth {last - first:+,.1f} MB"
    )
    return 0


def measure_scale(out):
    """Prints how cost grows with the work; what was measured before a failure, too."""
    import_tensorflow()
    from acgan import growth_table, scaling

    scaling.prepare(out)
    points, begin = [], time.monotonic()
    try:
        for title, measure in scaling.SERIES:
            print(f"{time.monotonic() - begin:4.0f} s  {title}", file=sys.stderr, flush=True)
            points += measure(out)
        print(f"{time.monotonic() - begin:4.0f} s  done", file=sys.stderr, flush=True)
    finally:
        print(growth_table.table(points), flush=True)
    return 0


def kill(values, out):
    """Compares a run that is killed with one that is not, and prints what differs."""
    flags = [*TRAINING, f"--seed={values['seed']}"]
    whole, killed = out / "whole", out / "killed"
    finish(flags, whole)
    kills = kill_and_go_on(flags, killed, values["kills"], random.Random(values["seed"]))
    finish([*flags, "--resume"], killed)
    findings = list(differences(whole, killed))
    print(f"killed {kills} times over {STEPS:,} steps: " + ("; ".join(findings) or "no difference"))
    return 1 if findings else 0


def start(flags, folder):
    command_line = [sys.executable, "-m", "acgan.train", *flags, f"--run_dir={folder}"]
    return subprocess.Popen(command_line, stdout=subprocess.DEVNULL)


def finish(flags, folder):
    """Trains to the end."""
    if status := start(flags, folder).wait():
        raise UserError(f"the run in {folder} ended with status {status}")


def kill_and_go_on(flags, folder, kills, chance):
    """Starts a run and kills it at a random moment, `kills` times; returns how often it was."""
    done = 0
    while done < kills:
        process = start([*flags, "--resume"], folder)
        try:
            process.wait(chance.uniform(*LIFE_SECONDS))
            break  # it has reached its end
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            done += 1
    return done


def differences(whole, killed):
    """What distinguishes a run that was killed from one that was not, a line each."""
    import_tensorflow()
    absl_logging.set_verbosity(absl_logging.WARNING)  # TensorBoard tells of every file it reads
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    from acgan.checkpoints import Checkpoints

    arrays = [Checkpoints(folder / "checkpoints").newest().arrays for folder in (whole, killed)]
    # The means of the losses begin anew in each process.
    names = [name for name in arrays[0] if not name.startswith("losses")]
    differing = [n for n in names if arrays[0][n].tobytes() != arrays[1][n].tobytes()]
    if differing:
        yield f"{len(differing)} of {len(names)} variables differ"
    events = EventAccumulator(str(killed / "tensorboard"), {"tensors": 0}).Reload()
    steps = [event.step for event in events.Tensors("loss/generator")]
    if steps != list(range(LOG_EVERY, STEPS + 1, LOG_EVERY)):
        yield f"{len(steps)} points in TensorBoard, not each of {STEPS // LOG_EVERY} once"
    if partial := list(killed.rglob("*.part*")):
        yield f"half-written: {', '.join(map(str, partial))}"


if __name__ == "__main__":
    command.run(main, FLAGS)
