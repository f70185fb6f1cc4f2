"""Measures batch sizes in several precisions: python -m acgan.sweep --out=DIR [flags]

All policies and repeats of a batch size run in turn, each run in a process of its own. Ended or
killed, the same command goes on where it was. With keras-tuner's KERASTUNER_* variables several
machines of one kind share a sweep. python -m acgan.report says what follows from it.
"""

import os
import sys

from acgan import command
from acgan.errors import UserError
from acgan.quiet import import_tensorflow

FLAGS = (
    "cache",
    "classes",
    "data",
    "distribution",
    "duration",
    "execution",
    "loss_scaling",
    "measuring",
    "network",
    "optimization",
    "output",
    "price",
    "recording",
    "seed",
    "sweeping",
)
# Flags of acgan.train that a sweep has no use for, and what its runs have in their place.
NOT_OF_A_SWEEP = {
    "run_dir": None,
    "resume": False,
    "allow_policy_change": False,
    "keep_checkpoints": 1,
    "on_divergence": "stop",
    "rollback_factor": 0.5,
    "max_rollbacks": 3,
    "max_usd": None,
    "dry_run": False,
}


def main(values):
    from acgan.loading import load_dataset
    from acgan.settings import Settings
    from acgan.sweeping.folder import SweepFolder
    from acgan.sweeping.machines import part_of
    from acgan.sweeping.plan import check_plan, make_plan
    from acgan.workers.cluster import find_cluster

    out = values.pop("out")
    if not out:
        raise UserError("--out is missing: give a folder with --out=DIR")
    if find_cluster(values["distribute"], os.environ):
        raise UserError(
            "TF_CONFIG names several machines, and a sweep trains on one: unset it, or give "
            "--distribute=mirrored or none"
        )
    part = part_of(os.environ)
    plan = make_plan(values)
    settings = [
        Settings(**{**NOT_OF_A_SWEEP, **plan.run_flags(policy, size)})
        for size in plan.batch_sizes
        for policy in plan.policies
    ]
    check_plan(plan, out)
    images = len(load_dataset(settings[-1], "batch_sizes"))  # the last one's is the largest
    return sweep(plan, SweepFolder(out), part, settings[0], images)


def sweep(plan, folder, part, settings, images):
    """Does the runs of a plan that are not done yet; returns an exit status."""
    import_tensorflow()
    import keras_tuner
    import tensorflow as tf

    from acgan.interruption import Interruption
    from acgan.precision import advice
    from acgan.pricing import find_pricing
    from acgan.result_reading import device_name
    from acgan.sweeping.folder import alone_in
    from acgan.sweeping.plan import keep_plan
    from acgan.sweeping.process import train
    from acgan.sweeping.progress import SweepProgress
    from acgan.sweeping.summary import summary
    from acgan.sweeping.tuner import SweepTuner
    from callbacks import hardware

    device = hardware.detect()
    tf.config.set_visible_devices([], "GPU")  # its memory is for the runs
    pricing = find_pricing(settings, device)
    if plan.objective.startswith("usd") and pricing.price is None:
        raise UserError(f"--objective={plan.objective} has no price to go by: {pricing.reason}")
    for policy in plan.policies:
        if warning := advice(policy, device):
            print(warning, file=sys.stderr)
    on_gpu = device["device"] == "GPU"
    kind, number = ("gpu_name", "gpu_count") if on_gpu else ("cpu_name", "cpu_count")
    name = device_name(device[kind], device[number], on_gpu)
    keep_plan(plan, folder.path)
    done, total, _ = folder.standing(plan)
    print(f"{folder.path}: {total} runs on {name}, {done} of them done")
    if part.chief:
        print(f"{part.name}: {'listening at' if part.is_chief else 'worker of'} {part.chief}")
    interruption = Interruption()
    try:
        with (
            alone_in(folder.path, part.name),
            part.connected(),
            interruption,
            SweepProgress() as progress,
        ):
            tuner = SweepTuner(plan, folder, images, part, name, train, progress)
            tuner.search()
    except KeyboardInterrupt:
        print("interrupted: the same command goes on from here", file=sys.stderr)
        return interruption.exit_status() or command.INTERRUPTED
    except keras_tuner.errors.FatalError as error:
        raise UserError(error) from error
    if not part.is_chief or folder.results_so_far():
        print(summary(plan, folder))
    if not tuner.failed:
        return 0
    names = ", ".join(tuner.failed)
    print(f"failed: {names}; the same command tries again (see {folder.logs})", file=sys.stderr)
    return 1


if __name__ == "__main__":
    command.run(main, FLAGS)
