"""When a run ends."""

from callbacks.steps import StepCallback


class StopAfter(StepCallback):
    """Ends training after a number of steps or seconds, or when it is interrupted.

    Arguments:
        steps: training steps, or None.
        seconds: seconds of training, or None.
        spent: `spent()` gives the seconds trained so far.
        interrupted: `interrupted()` says whether to end after this step in any case.
        first_step: as for `StepCallback`.
    """

    def __init__(self, steps, seconds, spent, interrupted=lambda: False, first_step=0):
        super().__init__(first_step)
        self.steps = steps
        self.seconds = seconds
        self.spent = spent
        self.interrupted = interrupted

    def on_steps_end(self, executed, logs):
        if self.interrupted() or self.is_over():
            self.model.stop_training = True

    def is_over(self):
        """Whether a limit is reached."""
        return self.share_done() >= 1

    def share_done(self):
        """The share of the run that is done, 0..1; of two limits the closer one counts."""
        by_steps = self.steps_done / self.steps if self.steps else 0.0
        by_time = self.spent() / self.seconds if self.seconds else 0.0
        return min(1.0, max(by_steps, by_time))
