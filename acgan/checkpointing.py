"""When a run is saved."""

import time

from callbacks.steps import StepCallback


class Checkpointing(StepCallback):
    """Saves a run regularly and when training ends, however it ends.

    Stands last among the callbacks, so that what they wrote about a step is in the checkpoint.

    Arguments:
        save: `save(step)` writes a checkpoint.
        every_steps: steps between two checkpoints; 0 for none by steps.
        every_seconds: seconds between two checkpoints; None for none by time.
        report: called with a line if a checkpoint can't be written: training goes on, and the next
            one may be; the one at the end must be.
        first_step: as for `callbacks.steps.StepCallback`.
        at_once: whether to save before the first step, too.
        clock: seconds, monotonic.
    """

    def __init__(
        self,
        save,
        every_steps,
        every_seconds,
        report,
        first_step=0,
        at_once=False,
        clock=time.monotonic,
    ):
        super().__init__(first_step)
        self.save = save
        self.every_steps = every_steps
        self.every_seconds = every_seconds
        self.report = report
        self.at_once = at_once
        self._clock = clock
        self._saved_at_step = first_step
        self._saved_at = None  # reading of the clock

    def on_train_begin(self, logs=None):
        self._saved_at = self._clock()

    def on_epoch_begin(self, epoch, logs=None):
        if self.at_once and epoch == 0:  # when everything has its first value
            self._try_to_save()

    def on_steps_end(self, executed, logs):
        by_steps = self.every_steps and self.passed_multiple_of(self.every_steps, executed)
        by_time = (
            self.every_seconds is not None and self._clock() - self._saved_at >= self.every_seconds
        )
        if by_steps or by_time:
            self._try_to_save()

    def on_train_end(self, logs=None):
        if self._saved_at_step != self.steps_done:
            self._save()

    def _try_to_save(self):
        try:
            self._save()
        except OSError as error:
            self._saved_at = self._clock()
            self.report(
                f"step {self.steps_done:,} can't be saved ({error}): free space or restore the "
                "folder; training goes on, and the next checkpoint is tried again"
            )

    def _save(self):
        self.save(self.steps_done)
        self._saved_at_step = self.steps_done
        self._saved_at = self._clock()
