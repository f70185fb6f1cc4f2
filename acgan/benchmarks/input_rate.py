"""Row 7: whether the input pipeline keeps up with training, for every kind of data set."""

import functools
import tempfile
import time
from pathlib import Path

import numpy as np
import tensorflow as tf
from PIL import Image

from acgan import datasets
from acgan.benchmarks import loops
from acgan.benchmarks.measurement import measurement
from acgan.benchmarks.pairs import fewer, ratio, rounds
from acgan.model import ACGAN
from acgan.pipeline import batches

AHEAD = 8  # more batches than the pipeline makes in advance
BATCHES = 100  # in one measurement
FOLDER_IMAGES, NPZ_IMAGES = 200, 5000
# (name, images, shape): those that are downloaded, made up here, as many as `acgan.train` loads.
MADE_UP = (
    ("quickdraw", 100_000, (28, 28, 1)),
    ("cifar10", 50_000, (32, 32, 3)),
    ("fashion_mnist", 60_000, (28, 28, 1)),
)


def rows(pairs):
    """Images/s of the pipeline alone over images/s of a step on a batch that is already there.

    Above 1 the pipeline keeps up, with as much to spare. The network is dcgan.
    """
    return [_row(name, *data, fewer(pairs)) for name, data in _all_data()]


def _all_data():
    """(name, (images, labels)) of every kind of data set; one at a time is in memory."""
    yield "mnist5k", _loaded("mnist5k")
    with tempfile.TemporaryDirectory() as folder:
        yield ".npz, 28x28x1", _loaded(write_npz(Path(folder) / "digits.npz"))
        yield "image folder, 64x64x3", _loaded(write_images(Path(folder) / "images"))
    for name, count, shape in MADE_UP:
        yield f"{name}'s shape, made-up images", loops.random_images(count, shape)


def _loaded(name):
    dataset = datasets.load(name, report=lambda line: None)
    return dataset.images, dataset.labels


def _row(name, images, labels, pairs):
    train, feed = _training(images.shape[1:]), pipeline(images, labels)
    times = rounds([train, feed], pairs)
    rates = [[loops.BATCH / seconds for seconds in each] for each in times]
    training, alone = (ratio(each).median for each in zip(*rates, strict=True))
    return measurement(
        7,
        f"pipeline / training, {name}",
        ratio([alone / training for training, alone in rates]),
        "images/s ratio",
        note=f"{alone:,.0f} and {training:,.0f} images/s",
    )


@functools.cache
def _training(image_shape):
    """Seconds of a step on a batch that costs nothing to get: `measure()`, warm."""
    images, labels = loops.random_images(loops.BATCH, image_shape)
    data = batches(images, labels, loops.CLASSES, loops.BATCH, loops.LATENT_DIM, seed=0)
    batch = next(iter(data))
    model = loops.model(ACGAN, "dcgan", "float32", tuple(image_shape))
    step = tf.function(model.train_step, jit_compile=False)
    return loops.timed(lambda: step(batch)["generator_loss"])


def pipeline(images, labels):
    """Seconds that a batch takes to make: `measure()`.

    What was made in advance, while something else was measured, is not counted.
    """
    data = batches(images, labels, loops.CLASSES, loops.BATCH, loops.LATENT_DIM, seed=0)
    stream = iter(data)

    def measure():
        for _ in range(AHEAD):
            next(stream)
        begin = time.perf_counter()
        for _ in range(BATCHES):
            next(stream)
        return (time.perf_counter() - begin) / BATCHES

    measure()
    return measure


def write_npz(path):
    """An .npz file of random 28x28 images, as a user would bring one; returns its path."""
    images, labels = loops.random_images(NPZ_IMAGES)
    np.savez(path, x=images, y=labels)
    return path


def write_images(folder):
    """A folder of random PNG files, 96x96 in colour, in a folder for each class; returns it."""
    images, labels = loops.random_images(FOLDER_IMAGES, (96, 96, 3))
    for number, (image, label) in enumerate(zip(images, labels, strict=True)):
        path = folder / f"class{label}" / f"{number}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image).save(path)
    return folder
