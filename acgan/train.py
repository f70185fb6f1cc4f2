"""Trains an AC-GAN on images, in single or mixed precision: python -m acgan.train [flags]

Leaves a folder with samples, the trained generator, what TensorBoard shows, and the run's record.
"""

import contextlib
import sys
from pathlib import Path

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
    from acgan.runs import RunFolder

    with contextlib.ExitStack() as held:
        before = None
        if values["resume"]:
            if not values["run_dir"]:
                raise UserError("--resume needs the run's folder: give it with --run_dir=DIR")
            folder = RunFolder(values["run_dir"])
            before = find_before(folder, values, held)
            if before and before.record["status"] == "completed":
                print(f"{folder.path} is completed after {before.record['steps']:,} steps")
                return 0
        return train(before.values if before else values, before, held)


def find_before(folder, values, held):
    """The `acgan.resuming.Before` of a run that goes on, None of a new one; its lock is held."""
    from acgan.resuming import look_back

    if not folder.record.exists():
        folder.clear_beginning()
        return None
    held.enter_context(only_here(folder))
    return look_back(folder, values, command.given(values), lambda line: print(line, flush=True))


def only_here(folder):
    """A block in which no other process may train in a run's folder."""
    from acgan.locking import alone

    return alone(folder.lock, f"--run_dir={folder.path}: another process trains in it")


def train(values, before, held):
    """One run, new or going on; returns its exit status."""
    from acgan.loading import load_dataset
    from acgan.runs import RunFolder, default_folder
    from acgan.settings import Settings

    settings = Settings(**values)
    if before is None and settings.run_dir:
        RunFolder(settings.run_dir).check_new()
    dataset = load_dataset(settings)

    import_tensorflow(settings.policy)  # after what can go wrong without it, since it takes seconds
    from acgan import datasets
    from acgan.clock import PartClock, process_started
    from acgan.dry_run import dry_run
    from acgan.precision import advice, resolve_policy
    from acgan.pricing import find_pricing
    from acgan.training import Run
    from callbacks import hardware

    before = None if settings.dry_run else before
    clock = PartClock(started=process_started(), before=before and before.seconds())
    device = hardware.detect()
    policy = resolve_policy(settings.policy, device)
    pricing = find_pricing(settings, device)
    if warning := advice(policy, device):
        print(warning, file=sys.stderr)
    images = f"{len(dataset.images):,} images of {dataset.classes} classes"
    print(f"{dataset.name}: {images} · {policy} on {device['gpu_name'] or device['cpu_name']}")

    def make_run(settings, folder, before=None):
        if before is None:
            folder.create()
        cache_dir = settings.cache_dir or datasets.default_cache_dir()
        return Run(settings, dataset, policy, device, folder, cache_dir, pricing, clock, before)

    if settings.dry_run:
        print(dry_run(settings, len(dataset), pricing, make_run))
        return 0
    folder = RunFolder(
        settings.run_dir or default_folder(settings.dataset, policy, settings.batch_size)
    )
    run = make_run(settings, folder, before)
    if before is None:
        held.enter_context(only_here(folder))
    print(summary(run.execute(), folder))
    return run.interruption.exit_status()


def summary(record, folder):
    """What a user wants to know after a run, as lines of text."""
    seconds, quality, cost = record["seconds"], record["quality"], record["cost"]
    lines = [f"{record['message'] or 'done'}: {record['steps']:,} steps, {seconds['train']:.0f} s"]
    if step_ms := record["step_time_ms"]["mean"]:
        rate = record["images_per_second"]
        lines.append(f"step time    {step_ms:.1f} ms, {rate:,.0f} images/s")
    if (share := record["tensor_cores"]["kernel_time_percent"]) is not None:
        lines.append(f"Tensor Cores {share:.0f} % of kernel time")
    if cost["usd_total"] is not None:
        per_million = cost["usd_per_million_batches"]
        unit = f", {per_million:,.2f} USD per million batches" if per_million else ""
        lines.append(f"cost         {cost['usd_total']:.4f} USD{unit} ({cost['price_source']})")
    if quality:
        lines.append(
            f"quality      class accuracy {quality['class_accuracy']:.3f}, FID {quality['fid']:.2f}"
            f" (two halves of the real images: {quality['fid_floor']:.2f}), "
            f"at step {quality['best_step']:,}"
        )
    tensorboard = Path(sys.executable).with_name("tensorboard")
    places = {
        "samples": folder.samples,
        "generator": folder.generator,
        "record": folder.record,
    }
    lines += [f"{name:<12} {place}" for name, place in places.items() if place.exists()]
    return "\n".join([*lines, f"TensorBoard  {tensorboard} --logdir {folder.path.parent}"])


if __name__ == "__main__":
    command.run(main, FLAGS)
