"""What a training step takes: within `fit`, bare, and in a textbook's form."""

import io
import time

import keras
import numpy as np
import tensorflow as tf

from acgan.benchmarks.pairs import compare
from acgan.benchmarks.textbook import TextbookACGAN
from acgan.clock import Booked, PartClock, Phases
from acgan.model import ACGAN
from acgan.networks import build_discriminator, build_generator
from acgan.pipeline import batches
from acgan.precision import scaled_optimizer
from acgan.progress import ProgressBar
from acgan.run_callbacks import LOSS_TAGS
from acgan.stopping import StopAfter
from callbacks.board import Board
from callbacks.cost import Cost
from callbacks.flops import step_flops
from callbacks.loss_scale import LossScale
from callbacks.losses import Losses
from callbacks.step_time import StepTime
from callbacks.tensor_cores.callback import TensorCores

IMAGE_SHAPE, CLASSES, LATENT_DIM, WIDTH, BATCH = (28, 28, 1), 10, 128, 32, 64
STEPS = 20  # in one measurement
IMAGES = 5000


def overhead_of_fit(log_dir, network="dcgan", policy="float32", pairs=15):
    """A step in `fit`, with this project's callbacks, over the same step in a bare loop.

    The callbacks are step time, Tensor Cores (its profile is over before the first measurement),
    cost, loss scale, losses and the progress bar; samples, evaluation, the range of gradients and
    the run's record are off.

    Arguments:
        log_dir: a folder for event files.
        network, policy, pairs: what is measured, and how often.

    Returns:
        An `acgan.benchmarks.pairs.Ratio`.
    """
    model = build(ACGAN, network, policy)
    return compare(_timed_fit(model, log_dir), _timed_loop(model), pairs)


def step_against_textbook(network="dcgan", policy="float32", pairs=15):
    """This project's step over the textbook's alternating one, same networks, bare loops."""
    own, textbook = (_timed_loop(build(kind, network, policy)) for kind in (ACGAN, TextbookACGAN))
    return compare(own, textbook, pairs)


def flops_against_textbook(network="dcgan"):
    """The ratio that arithmetic alone allows: matrix FLOPs of both steps, from layer shapes."""
    own, textbook = (build(kind, network, "float32") for kind in (ACGAN, TextbookACGAN))
    return step_flops(own, BATCH) / step_flops(textbook, BATCH)


def build(kind, network, policy):
    """A compiled model of class `kind` for 28x28 grey images of 10 classes."""
    keras.utils.set_random_seed(0)
    model = kind(
        build_generator(network, IMAGE_SHAPE, CLASSES, LATENT_DIM, WIDTH, policy),
        build_discriminator(network, IMAGE_SHAPE, CLASSES, WIDTH, policy),
        dtype=policy,
    )
    optimizers = [scaled_optimizer(keras.optimizers.Adam(2e-4, 0.5), policy) for _ in range(2)]
    model.compile(*optimizers, jit_compile=False)
    return model


def training_data():
    """Batches of random images: what an image shows costs no time."""
    random = np.random.default_rng(0)
    images = random.integers(0, 256, (IMAGES, *IMAGE_SHAPE), np.uint8)
    labels = (np.arange(IMAGES) % CLASSES).astype(np.int32)
    return batches(images, labels, CLASSES, BATCH, LATENT_DIM, seed=0)


def _timed_loop(model):
    stream = iter(training_data())
    step = tf.function(model.train_step, jit_compile=False)

    def measure():
        begin = time.perf_counter()
        for _ in range(STEPS):
            logs = step(next(stream))
        float(logs["generator_loss"])  # waits for the device
        return (time.perf_counter() - begin) / STEPS

    measure()
    return measure


def _timed_fit(model, log_dir):
    data = training_data()
    board = Board(log_dir)
    clock = PartClock()
    stop = StopAfter(None, 1e9, lambda: clock.spent("train"))
    bar = ProgressBar(BATCH, stop.share_done, lambda: clock.spent("train"), output=io.StringIO())
    ends = _Ends()
    step_time = StepTime(board, BATCH)
    measuring = [
        step_time,
        Booked(TensorCores(board, model.dtype_policy.name, BATCH), clock, "profile"),
        Cost(1.0, board, BATCH, step_time.mean_ms),
        LossScale(board),
    ]
    callbacks = [Phases(clock), stop, *measuring, Losses(board, LOSS_TAGS), bar, ends]

    def measure():
        ends.seconds.clear()
        # One step more than is counted: a call of `fit` begins with work of its own.
        model.fit(data, steps_per_epoch=STEPS + 1, verbose=0, shuffle=False, callbacks=callbacks)
        return (ends.seconds[-1] - ends.seconds[0]) / STEPS

    measure()
    return measure


class _Ends(keras.callbacks.Callback):
    """When each step of `fit` ended."""

    def __init__(self):
        super().__init__()
        self.seconds = []

    def on_train_batch_end(self, batch, logs=None):
        self.seconds.append(time.perf_counter())
