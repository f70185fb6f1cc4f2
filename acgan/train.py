"""Trains an AC-GAN on images, in single or mixed precision: python -m acgan.train [flags]

Leaves a folder with samples, the trained generator, what TensorBoard shows, and the run's record.
On several machines the same command runs on each of them, with TF_CONFIG set.
"""

import contextlib
import os
import sys

from acgan import command
from acgan.errors import UserError
from acgan.quiet import import_tensorflow

FLAGS = (
    "batch",
    "cache",
    "checkpoint",
    "classes",
    "cost",
    "data",
    "distribution",
    "divergence",
    "duration",
    "execution",
    "loss_scaling",
    "measuring",
    "network",
    "optimization",
    "policy",
    "price",
    "recording",
    "run_folder",
    "seed",
)


def main(values):
    from acgan.workers.cluster import find_cluster

    cluster = find_cluster(values["distribute"], os.environ)
    if cluster:
        refuse_on_several_machines(values)
    with contextlib.ExitStack() as held:
        before = news = channels = None
        if cluster is None or cluster.is_chief:
            before, news = find_before(values, held)
            values = before.values if before else values
        if cluster:
            channels, values, news = join(cluster, values, news)
            refuse_on_several_machines(values)  # those of a run that goes on
        if news:
            print(news)
            return 0
        return train(values, before, cluster, channels, held)


def find_before(values, held):
    """The `acgan.resuming.Before` of a run that goes on, whose lock is held, or None of a new one;
    and a line if there is nothing left to do, or None."""
    from acgan.resuming import look_back
    from acgan.runs import RunFolder

    if not values["resume"]:
        if values["run_dir"]:
            RunFolder(values["run_dir"]).check_new()
        return None, None
    if not values["run_dir"]:
        raise UserError("--resume needs the run's folder: give it with --run_dir=DIR")
    folder = RunFolder(values["run_dir"])
    if not folder.record.exists():
        folder.clear_beginning()
        return None, None
    held.enter_context(only_here(folder))
    before = look_back(folder, values, command.given(values), say)
    if before.record["status"] == "completed":
        return before, f"{folder.path} is completed after {before.record['steps']:,} steps"
    return before, None


def only_here(folder):
    """A block in which no other process may train in a run's folder."""
    from acgan.locking import alone

    return alone(folder.lock, f"--run_dir={folder.path}: another process trains in it")


def refuse_on_several_machines(values):
    """Refuses what several machines can't do."""
    for name in ("gradient_range_every", "jit_compile"):
        if values[name]:
            raise UserError(f"--{name} can't be used on several machines: leave it out")


def join(cluster, values, news):
    """`acgan.joining.join` of this process."""
    from acgan import joining

    channels, values, news = joining.join(cluster, values, command.given(values), say, news)
    print(f"{cluster.workers[cluster.index]}: all {len(cluster.workers)} are here", flush=True)
    return channels, values, news


def say(line):
    print(line, flush=True)


def train(values, before, cluster, channels, held):
    """One run, new or going on, or this process's part of it; returns the exit status."""
    from acgan.dry_run import dry_run, few_steps
    from acgan.loading import load_dataset
    from acgan.runs import RunFolder, default_folder
    from acgan.settings import Settings

    settings = Settings(**values)
    dataset = load_dataset(settings)

    import_tensorflow(settings.policy)  # after what can go wrong without it, since it takes seconds
    from acgan import datasets, distribution
    from acgan.clock import PartClock, process_started
    from acgan.helping import AGAIN, OVER, help_train
    from acgan.joining import train_together
    from acgan.precision import advice, resolve_policy
    from acgan.pricing import find_pricing
    from acgan.rolling_back import train_with_rollbacks
    from acgan.run_summary import summary
    from acgan.training import Run
    from callbacks import hardware

    few = few_steps(settings) if settings.dry_run else settings
    before = None if settings.dry_run else before
    clock = PartClock(started=process_started(), before=before and before.seconds())
    device = hardware.detect()
    policy = resolve_policy(settings.policy, device)
    folder = RunFolder(
        settings.run_dir or default_folder(settings.dataset, policy, settings.batch_size)
    )
    runs = []
    if cluster:
        terms = {"the data's hash": dataset.content_hash(), "the policy": policy}
        terms |= {"the GPU": device["gpu_name"], "the number of GPUs": device["gpu_count"]}
        train_together(cluster, channels, terms, held, say, lambda line: end(line, runs))
    devices = distribution.resolve(
        settings.distribute, cluster, settings.batch_size, settings.jit_compile
    )
    if not devices.is_chief:
        return help_train(few, dataset, policy, devices)
    device = devices.whole(device)
    pricing = find_pricing(settings, device, devices.workers)
    if warning := advice(policy, device):
        print(warning, file=sys.stderr)
    images = f"{len(dataset):,} images of {dataset.classes} classes"
    number = f"{devices.replicas} x " if devices.replicas > 1 else ""
    name = device["gpu_name"] or device["cpu_name"]
    print(f"{dataset.name}: {images} · {policy} on {number}{name}")

    def make_run(folder, before=None):
        if before is None:
            folder.create()
            held.enter_context(only_here(folder))
        elif runs:  # it goes back
            devices.from_chief(AGAIN)
        cache_dir = settings.cache_dir or datasets.default_cache_dir()
        run = Run(few, dataset, policy, device, folder, cache_dir, pricing, clock, before, devices)
        runs[:] = [run]  # an attempt before it is let go of
        return run

    if settings.dry_run:
        print(dry_run(settings, len(dataset), pricing, make_run))
        devices.from_chief(OVER)
        return 0
    run = train_with_rollbacks(lambda before: make_run(folder, before), before, say)
    devices.from_chief(OVER)
    print(summary(run.record.fields, folder))
    return run.exit_status()


def end(line, runs):
    """Ends this process because another was lost; notes it in the records of `runs`."""
    try:
        for run in runs:
            if run.settings.is_saved:
                line += f": start all workers again with --resume --run_dir={run.folder.path}"
            run.fail(line)
    finally:
        print(f"error: {line}", file=sys.stderr, flush=True)
        os._exit(1)  # TensorFlow waits for the lost one, deaf to exceptions


if __name__ == "__main__":
    command.run(main, FLAGS)
