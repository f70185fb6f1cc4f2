"""Tensor Core use of a training step, from a profile of a few steps."""

import time
from pathlib import Path

from callbacks import hardware
from callbacks.flops import layer_calls, passes_of
from callbacks.profiler import profiler_is_running
from callbacks.steps import StepCallback
from callbacks.tensor_cores import readers
from callbacks.tensor_cores.explanation import explain, odd_sizes
from callbacks.tensor_cores.profile_file import ProfileError
from callbacks.tensor_cores.report import markdown
from callbacks.tensor_cores.summary import summarize
from callbacks.tensor_cores.troubles import remedy

SHARES = (
    "kernel_time_percent",
    "eligible_time_percent",
    "efficiency_percent",
    "unknown_time_percent",
    "cast_time_percent",
)

COUNTER_SECONDS = 0.5  # the hardware's counters are refreshed about every tenth of a second


class TensorCores(StepCallback):
    """Profiles a few warm steps and logs how much of their kernel time ran on Tensor Cores.

    The profile stays where TensorBoard's Profile tab finds it. Whatever keeps it from being
    recorded or read is said in one line, and training goes on; a share that was not measured is
    not logged.

    | tag | value |
    |---|---|
    | `tensor_cores/kernel_time_percent` | share of kernel time on Tensor Cores |
    | `tensor_cores/eligible_time_percent` | share in ops that could run there |
    | `tensor_cores/efficiency_percent` | Tensor Core time over eligible time |
    | `tensor_cores/unknown_time_percent` | share of kernels whose name does not tell |
    | `tensor_cores/cast_time_percent` | share in ops that only change the dtype |
    | `tensor_cores/pipe_active_percent` | activity of the tensor pipe, by hardware counters |
    | `tensor_cores/kernels` | text: the top kernels, and why the share is low if it is |

    Arguments:
        board: a `callbacks.board.Board`; the profile goes below its folder.
        policy: name of the Keras dtype policy that is trained in, for the explanation.
        batch_size: examples per batch, for the explanation.
        start: steps to train before the profile.
        steps: steps to profile.
        pipe: a `callbacks.nvml.TensorActivity` over GPUs not yet open, read over as many steps
            after the profile, and at least half a second; None reads no counters.
        first_step: as for `StepCallback`.
        report: called with lines for the user.
        clock: seconds, monotonic.

    Attributes:
        summary: the `callbacks.tensor_cores.summary.Summary`, None if there is none.
        reason: why there is no summary, None if there is one.

    Example:
        TensorCores(Board("logs"), policy="mixed_float16", batch_size=64)
    """

    def __init__(
        self,
        board,
        policy,
        batch_size,
        start=10,
        steps=5,
        pipe=None,
        first_step=0,
        report=print,
        clock=time.monotonic,
    ):
        super().__init__(first_step)
        self.board = board
        self.policy = policy
        self.batch_size = batch_size
        self.start = start
        self.steps = steps
        self.pipe = pipe
        self.report = report
        self.clock = clock
        self.summary = None
        self.pipe_active_percent = None
        self.reason = "training ended before the profile"
        self._begin_at = first_step + start
        self._began_at = None  # step
        self._end_at = None  # step, while a phase goes on
        self._end_after = 0.0  # reading of the clock
        self._phase = None
        self._profiled_steps = 0
        self._device = None
        self._profiles_before = set()

    def on_train_begin(self, logs=None):
        self._device = hardware.detect()
        if self._device["device"] != "GPU":
            self.reason = "no GPU: kernels and Tensor Cores are a GPU's"

    def on_train_batch_begin(self, batch, logs=None):
        super().on_train_batch_begin(batch, logs)
        if self._phase is None and self.steps_done >= self._begin_at:
            self._phase, self._end_at = "profile", self.steps_done + self.steps
            self._began_at = self.steps_done
            if not (self._has_gpu() and self._start_profiler()):
                self._count_pipe()

    def on_steps_end(self, executed, logs):
        if self._end_at is None or self.steps_done < self._end_at:
            return
        if self.clock() >= self._end_after:
            self._end_phase()

    def on_train_end(self, logs=None):
        if self._end_at is not None:
            self._end_phase()
        if self._end_at is not None:  # the counters, which were to follow the profile
            self._end_phase()

    def record(self):
        """The shares in percent, kernel time of a step, the `reason` why they are None if so."""
        shares = {share: self._share(share) for share in SHARES}
        return {
            **shares,
            "kernel_ms_per_step": self._kernel_ms_per_step(),
            "pipe_active_percent": self.pipe_active_percent,
            "reason": self.reason or (self.summary.reason if self.summary else None),
        }

    def _has_gpu(self):
        return self._device["device"] == "GPU"

    def _start_profiler(self):
        """Whether the profiler runs now."""
        import tensorflow as tf

        was_running = profiler_is_running()
        self._profiles_before = self._profiles()
        try:
            tf.profiler.experimental.start(str(self.board.log_dir))
            return True
        except (tf.errors.OpError, RuntimeError, OSError) as error:
            self._give_up(error)
            if profiler_is_running() and not was_running:  # TensorFlow forgets to take it back
                tf.profiler.experimental.stop(save=False)
            return False

    def _end_phase(self):
        phase, self._end_at = self._phase, None
        if phase == "profile":
            self._profiled_steps = self.steps_done - self._began_at
            self._read_profile()
            self._count_pipe()
        else:
            self.pipe_active_percent, reason = self.pipe.stop()
            self.pipe.gpus.close()
            if reason:
                self.report(f"tensor pipe activity was not measured: {reason}")
            tag = "tensor_cores/pipe_active_percent"
            self.board.scalars({tag: self.pipe_active_percent}, self.steps_done)

    def _count_pipe(self):
        self._phase = "done"
        self._end_at = None
        if self.pipe is not None and self._has_gpu():
            self._phase, self._end_at = "counters", self.steps_done + self.steps
            self._end_after = self.clock() + COUNTER_SECONDS
            self.pipe.gpus.open()
            self.pipe.start()

    def _read_profile(self):
        import tensorflow as tf

        try:
            tf.profiler.experimental.stop()
        except (tf.errors.OpError, RuntimeError, OSError) as error:
            self._give_up(error)
            return
        profiles = self._profiles() - self._profiles_before
        if not profiles:
            self._give_up(f"the profiler left no file below {self.board.log_dir}")
            return
        notes = []
        try:
            kernels = [k for path in sorted(profiles) for k in readers.read(path, notes.append)]
        except ProfileError as error:
            self._give_up(error)
            return
        summary = summarize(self._on_this_gpu(kernels))
        if not summary.rows:
            self._give_up("; ".join(notes) or "the profile holds no kernels")
            return
        for text in notes:
            self.report(f"profile: {remedy(text)}")
        self.summary, self.reason = summary, None
        self._log()

    def _log(self):
        explanation = explain(
            self.summary,
            self.policy,
            self._device["compute_capability"],
            self._device["gpu_name"],
            odd_sizes(self._layer_calls(), self.batch_size),
        )
        for sentence in explanation:
            self.report(f"Tensor Cores: {sentence}")
        self.board.scalars(
            {f"tensor_cores/{share}": self._share(share) for share in SHARES}, self.steps_done
        )
        self.board.text(
            "tensor_cores/kernels", markdown(self.summary, explanation), self.steps_done
        )

    def _layer_calls(self):
        networks = [passes.network for passes in passes_of(self.model)]
        try:
            return [call for network in networks for call in layer_calls(network)]
        except ValueError:  # a network for inputs of any size has no sizes to speak of
            return []

    def _on_this_gpu(self, kernels):
        """The kernels with the GPU's own name, which TensorFlow's profiles leave out."""
        name = self._device["gpu_name"]
        return [k._replace(device=k.device._replace(name=name)) for k in kernels]

    def _share(self, share):
        name = "tensor_core_time_percent" if share == "kernel_time_percent" else share
        return getattr(self.summary, name) if self.summary else None

    def _kernel_ms_per_step(self):
        if self.summary is None or not self._profiled_steps:
            return None
        return self.summary.total_us / 1000 / self._profiled_steps

    def _give_up(self, trouble):
        self.reason = remedy(trouble)
        self.report(f"Tensor Core use was not measured: {self.reason}")

    def _profiles(self):
        return set(Path(self.board.log_dir).glob("plugins/profile/*/*.xplane.pb"))
