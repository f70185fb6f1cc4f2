"""Row 1: what `fit` and the measuring callbacks add to a training step."""

import io
import tempfile
import time

import keras

from acgan.benchmarks import loops, truth
from acgan.benchmarks.measurement import measurement
from acgan.benchmarks.pairs import compare
from acgan.clock import Booked, PartClock, Phases
from acgan.model import ACGAN
from acgan.progress import ProgressBar
from acgan.run_callbacks import LOSS_TAGS
from acgan.stopping import StopAfter
from callbacks.board import Board
from callbacks.cost import Cost
from callbacks.loss_scale import LossScale
from callbacks.losses import Losses
from callbacks.step_time import StepTime
from callbacks.tensor_cores.callback import TensorCores

FEWEST_STEPS = 5  # in one measurement
PROFILE_OVER = 20  # steps after which the profile of `TensorCores` is over


def rows(pairs):
    """A step in `fit`, with this project's callbacks, over the same step in a bare loop.

    The callbacks are step time, Tensor Cores (its profile is over before the first measurement),
    cost, loss scale, losses and the progress bar; samples, evaluation, the range of gradients and
    the run's record are off.
    """
    bare = loops.loop(ACGAN, "dcgan")
    steps = loops.steps_in(loops.MEASURE_SECONDS, bare(), FEWEST_STEPS)
    with tempfile.TemporaryDirectory() as log_dir:
        fit = timed_fit(loops.model(ACGAN, "dcgan"), loops.training_data(), log_dir, steps)
        ratio = compare(fit, bare, pairs)
    one, four = map(truth.added_ms, (1, 4))
    note = (
        f"StepTime reads {truth.DELAY_MS:g} ms as {one:.2f}, as {four:.2f} at 4 steps an execution"
    )
    return [measurement(1, "fit / bare loop, dcgan", ratio, note=note)]


def timed_fit(model, data, log_dir, steps):
    """Seconds of a step in `fit` with the measuring callbacks: `measure()`, warm.

    Arguments:
        model: a compiled one.
        data: batches of `loops.BATCH` images. Every measurement begins with their first.
        log_dir: folder for TensorBoard.
        steps: in one measurement; `measure(steps)` takes another number.
    """
    board = Board(log_dir)
    clock = PartClock()
    stop = StopAfter(None, 1e9, lambda: clock.spent("train"))
    bar = ProgressBar(
        loops.BATCH, stop.share_done, lambda: clock.spent("train"), output=io.StringIO()
    )
    ends = _Ends()
    step_time = StepTime(board, loops.BATCH)
    measuring = [
        step_time,
        Booked(TensorCores(board, model.dtype_policy.name, loops.BATCH), clock, "profile"),
        Cost(1.0, board, loops.BATCH, step_time.mean_ms),
        LossScale(board),
    ]
    callbacks = [Phases(clock), stop, *measuring, Losses(board, LOSS_TAGS), bar, ends]

    def measure(steps=steps):
        ends.seconds.clear()
        # One step more than is counted: a call of `fit` begins with work of its own.
        model.fit(data, steps_per_epoch=steps + 1, verbose=0, shuffle=False, callbacks=callbacks)
        return (ends.seconds[-1] - ends.seconds[0]) / steps

    measure(PROFILE_OVER if loops.on_gpu() else steps)  # without a GPU there is no profile
    return measure


class _Ends(keras.callbacks.Callback):
    """When each step of `fit` ended."""

    def __init__(self):
        super().__init__()
        self.seconds = []

    def on_train_batch_end(self, batch, logs=None):
        self.seconds.append(time.perf_counter())
