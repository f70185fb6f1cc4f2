"""What more images cost: seconds until a run trains, memory, and speed where they stay on disk."""

import functools
import tempfile
from pathlib import Path

from acgan import datasets
from acgan.benchmarks import loops, overhead
from acgan.benchmarks.pairs import compare, ratio, rounds
from acgan.benchmarks.processes import train
from acgan.benchmarks.startup import PARTS
from acgan.growth_table import Point
from acgan.made_up_images import forget, megabytes, write_npz, write_pair
from acgan.model import ACGAN
from acgan.pipeline import batches

COUNTS, STARTS = (5_000, 100_000, 1_000_000), 3
STORED, PAIRS = 100_000, 11


def by_count(folder, counts=COUNTS, starts=STARTS):
    """Seconds to the first step and peak memory of processes of acgan.train, by number of images.

    The images are in a folder of `.npy` files, to be read from disk; the processes take turns.
    """
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        pairs = [
            write_pair(Path(scratch) / str(count), count, loops.IMAGE_SHAPE, loops.CLASSES)
            for count in counts
        ]
        told = rounds([functools.partial(train, f"--dataset={pair}") for pair in pairs], starts)
        weights = [f"the data: {megabytes(pair):,.1f} MB" for pair in pairs]
    by_size = list(zip(counts, weights, zip(*told, strict=True), strict=True))

    def points(name, unit, cost):
        return [
            Point(name, count, ratio([cost(start) for start in each]), unit, note=weight)
            for count, weight, each in by_size
        ]

    times = points("start to first step, images", "s", lambda start: sum(map(start.get, PARTS)))
    if told[0][0]["memory_mb"] is None:  # not Linux
        return times
    return times + points("peak memory, images", "MB", lambda start: start["memory_mb"])


def disk_against_memory(folder, count=STORED, pairs=PAIRS):
    """Speed in `fit` with images read from `.npy` files over that with the same ones in memory.

    First as the system holds the files in its memory, having just written them; then asked to
    forget them before every measurement, which is how data larger than its memory begin.
    """
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        scratch = Path(scratch)
        pair = write_pair(scratch / "pair", count, loops.IMAGE_SHAPE, loops.CLASSES)
        archive = write_npz(scratch / "images.npz", pair)
        model = loops.new_model(ACGAN, "dcgan")
        stored, held = (_fit(model, path, scratch / "logs") for path in (pair, archive))
        steps = loops.steps_in(loops.MEASURE_SECONDS, held(), overhead.FEWEST_STEPS)
        disk, memory = (functools.partial(fit, steps) for fit in (stored, held))

        def forgotten():
            forget(pair)
            return disk()

        # The speeds' ratio is that of the times turned round.
        cached = compare(memory, disk, pairs)
        found = [Point("speed from cached disk / memory, images", count, cached, "ratio")]
        if forget(pair):
            uncached = compare(memory, forgotten, pairs)
            found.append(
                Point("speed from uncached disk / memory, images", count, uncached, "ratio")
            )
    return found


def _fit(model, path, log_dir):
    dataset = datasets.load(path)
    arrays = dataset.images, dataset.labels, dataset.classes
    data = batches(*arrays, loops.BATCH, loops.LATENT_DIM, seed=0)
    return overhead.timed_fit(model, data, log_dir, overhead.FEWEST_STEPS)
