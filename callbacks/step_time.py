"""The time of a training step."""

import time
from dataclasses import dataclass

import keras
import tensorflow as tf

from callbacks.profiler import profiler_is_running
from callbacks.steps import StepCallback
from callbacks.timing import StepTimes, mfu_percent, tflops_per_second


class StepTime(StepCallback):
    """Measures the time of a training step, and nothing else.

    The clock runs from the call of the model's train function, which waits for its input, until the
    logs are numbers on the host. The first execution of each `fit`, executions that traced anew and
    executions under a profiler are left out; work of other callbacks, evaluation and whatever else
    happens between two steps is never in it, wherever this callback stands in the list.

    | tag | value |
    |---|---|
    | `step_time/mean_ms`, `step_time/p50_ms`, `step_time/p95_ms` | milliseconds a step |
    | `throughput/images_per_second`, `throughput/batches_per_second` | rates of the same steps |
    | `throughput/model_tflops_per_second` | if `flops_per_step` is known |
    | `throughput/mfu_percent` | if `peak_tflops` is known as well |

    Each point is about the steps since the last one.

    Arguments:
        board: a `callbacks.board.Board`, or None to log nothing.
        images_per_step: images in a full batch.
        images_per_epoch: images in an epoch, if its last batch may be short; None if none is.
        interval: steps per point.
        flops_per_step: FLOPs of a step, see `callbacks.flops`; None if unknown.
        peak_tflops: the device's peak TFLOP/s in the policy used; None if unknown.
        first_step: as for `StepCallback`.
        state: as `state` gave it in the run that goes on.
        clock: seconds, monotonic.

    Attributes:
        compile_seconds: time of the executions that traced the training step.

    Example:
        step_time = StepTime(Board("logs"), images_per_step=64)
        model.fit(x, y, batch_size=64, callbacks=[step_time])
        step_time.rates()  # of all measured steps
    """

    def __init__(
        self,
        board,
        images_per_step,
        images_per_epoch=None,
        interval=50,
        flops_per_step=None,
        peak_tflops=None,
        first_step=0,
        state=None,
        clock=time.perf_counter,
    ):
        super().__init__(first_step)
        self.board = board
        self.images_per_step = images_per_step
        self.images_per_epoch = images_per_epoch
        self.interval = interval
        self.flops_per_step = flops_per_step
        self.peak_tflops = peak_tflops
        self.clock = clock
        self.compile_seconds = 0.0
        self._all = StepTimes(state)
        self._window = StepTimes()
        self._timed = None

    def rates(self):
        """The `callbacks.timing.Rates` of all measured steps, None before the first."""
        return self._all.rates()

    def state(self):
        """The measured times of all steps, as JSON holds them."""
        return self._all.state()

    def mean_ms(self):
        """Milliseconds a step over all measured steps, None before the first."""
        return self._all.mean_ms()

    def on_train_begin(self, logs=None):
        self._timed = _Timed(self.model.train_function, self.clock)
        self.model.train_function = self._timed

    def on_train_end(self, logs=None):
        self._log()
        # Keras' own, whatever else measures it, or a training that an error ended left behind.
        self.model.train_function = _keras_function(self._timed)

    def on_steps_end(self, executed, logs):
        execution = self._timed.last
        if execution.traced:
            self.compile_seconds += execution.seconds
        elif execution.steady:
            for times in (self._all, self._window):
                times.add(execution.seconds, executed, self._images(executed))
        if self.passed_multiple_of(self.interval, executed):
            self._log()

    def _images(self, executed):
        images = executed * self.images_per_step
        steps = self.params.get("steps")
        if self.images_per_epoch is not None and steps is not None and self.last_batch == steps - 1:
            images -= steps * self.images_per_step - self.images_per_epoch
        return images

    def _log(self):
        rates, self._window = self._window.rates(), StepTimes()
        if rates is None or self.board is None:
            return
        tflops = tflops_per_second(self.flops_per_step, rates.mean_ms)
        values = {
            "step_time/mean_ms": rates.mean_ms,
            "step_time/p50_ms": rates.p50_ms,
            "step_time/p95_ms": rates.p95_ms,
            "throughput/images_per_second": rates.images_per_second,
            "throughput/batches_per_second": rates.batches_per_second,
            "throughput/model_tflops_per_second": tflops,
            "throughput/mfu_percent": mfu_percent(tflops, self.peak_tflops),
        }
        self.board.scalars(values, self.steps_done)


@dataclass(frozen=True)
class _Execution:
    """One call of a train function; `steady` unless it was the first, or under a profiler."""

    seconds: float
    traced: bool
    steady: bool


class _Timed:
    """A model's train function with a clock around it; `last` tells of the latest call."""

    def __init__(self, function, clock):
        self.function = function
        self.last = None
        self._clock = clock
        self._has_gpu = bool(tf.config.list_logical_devices("GPU"))

    def __call__(self, iterator):
        profiled = profiler_is_running()
        traces = _trace_count(self.function)
        begin = self._clock()
        logs = keras.tree.map_structure(_number, self.function(iterator))
        if self._has_gpu:  # which may still update weights when the losses are on the host
            tf.test.experimental.sync_devices()
        seconds = self._clock() - begin
        self.last = _Execution(
            seconds,
            traced=_trace_count(self.function) > traces,
            steady=self.last is not None and not profiled,
        )
        return logs


def _keras_function(function):
    """The train function within however many `_Timed`."""
    while isinstance(function, _Timed):
        function = function.function
    return function


def _number(value):
    """A log as Keras hands it to callbacks: a float if it is a scalar, else as it is."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return value


def _trace_count(train_function):
    """How often the `tf.function`s in a Keras train function were traced; 0 if run eagerly."""
    function = _keras_function(train_function)
    cells = (cell.cell_contents for cell in getattr(function, "__closure__", None) or ())
    counters = (getattr(f, "experimental_get_tracing_count", None) for f in cells)
    return sum(count() for count in counters if count is not None)
