"""Training steps in bare loops, warm and ready to be timed."""

import functools
import time

import keras
import numpy as np
import tensorflow as tf

from acgan.adam import FusedAdam
from acgan.fast_layers import with_fast_layers
from acgan.model import ACGAN
from acgan.networks import build_discriminator, build_generator
from acgan.pipeline import batches
from acgan.precision import scaled_optimizer

NETWORKS = ("dcgan", "article")
IMAGE_SHAPE, CLASSES, LATENT_DIM, WIDTH, BATCH = (28, 28, 1), 10, 128, 32, 64
IMAGES = 5000
ADAM = {"learning_rate": 2e-4, "beta_1": 0.5}  # of all steps that are compared
MEASURE_SECONDS = 0.4  # about as long as one measurement takes; a step may take longer
MOST_STEPS = 200  # in one measurement


@functools.cache
def model(kind, network, policy="float32", image_shape=IMAGE_SHAPE):
    """A compiled model of class `kind` for images of `CLASSES` classes; the same one every time."""
    return new_model(kind, network, policy, image_shape)


def new_model(kind, network, policy="float32", image_shape=IMAGE_SHAPE, width=WIDTH):
    """As `model`, and a new one every time, which nothing here holds on to.

    This project's comes with its own optimizer and kernels, a reference with Keras'.
    """
    keras.utils.set_random_seed(0)
    parts = networks(network, policy, image_shape, width)
    if kind is ACGAN:
        optimizer, parts = FusedAdam, map(with_fast_layers, parts)
    else:
        optimizer = keras.optimizers.Adam
    built = kind(*parts, dtype=policy)
    built.compile(
        *(scaled_optimizer(optimizer(**ADAM), policy) for _ in range(2)), jit_compile=False
    )
    return built


def networks(network, policy, image_shape, width=WIDTH):
    """A new generator and discriminator."""
    return (
        build_generator(network, image_shape, CLASSES, LATENT_DIM, width, policy),
        build_discriminator(network, image_shape, CLASSES, width, policy),
    )


def on_gpu():
    """Whether TensorFlow trains on a GPU here."""
    return bool(tf.config.list_physical_devices("GPU"))


def share_gpu_memory():
    """Leaves room on the GPUs for the processes that measure beside this one."""
    for gpu in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(gpu, True)


def random_images(count=IMAGES, image_shape=IMAGE_SHAPE):
    """Images uint8 and labels int32: what an image shows costs no time."""
    random = np.random.default_rng(0)
    images = random.integers(0, 256, (count, *image_shape), np.uint8)
    return images, (np.arange(count) % CLASSES).astype(np.int32)


def training_data(batch_size=BATCH, image_shape=IMAGE_SHAPE):
    """Batches of random images, as a run gets them."""
    images, labels = random_images(image_shape=image_shape)
    return batches(images, labels, CLASSES, batch_size, LATENT_DIM, seed=0)


@functools.cache
def loop(kind, network, policy="float32", batch_size=BATCH):
    """Seconds of a step of a `model` in a bare `tf.function` loop, fed by the pipeline.

    Returns:
        `measure()`, see `timed`; the same one every time, since tracing takes seconds.
    """
    return bare(model(kind, network, policy), training_data(batch_size))


def bare(model, data):
    """Seconds of a step of a model in a bare `tf.function` loop over data: `measure()`, warm."""
    stream = iter(data)
    step = tf.function(model.train_step, jit_compile=False)
    return timed(lambda: step(next(stream))["generator_loss"])


def timed(step, fewest=1):
    """Runs a step until it is warm, and gives what measures it.

    Arguments:
        step: `step()` runs one and returns a number of it, which may still be on the device.
        fewest: steps in one measurement, at least.

    Returns:
        `measure()`, which runs some steps, waits for the last and returns the mean seconds of one.
    """
    float(step())  # traces it
    begin = time.perf_counter()
    float(step())
    count = steps_in(MEASURE_SECONDS, time.perf_counter() - begin, fewest)

    def measure():
        begin = time.perf_counter()
        for _ in range(count):
            value = step()
        float(value)  # waits for the device
        return (time.perf_counter() - begin) / count

    return measure


def steps_in(seconds, step_seconds, fewest=1):
    """How many steps fit into some seconds: `fewest` to `MOST_STEPS`."""
    return min(MOST_STEPS, max(fewest, round(seconds / step_seconds)))
