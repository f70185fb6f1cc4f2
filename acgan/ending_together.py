"""Ending a training in all of its processes after the same step."""

import time

from callbacks.steps import StepCallback

PAUSE_SECONDS = 1.0  # about, between two agreements
LONGEST_PAUSE = 100  # steps


class EndTogether(StepCallback):
    """Lets training end only when all processes know of it.

    A process that ends alone leaves the others waiting for ever. So if another callback sets
    `stop_training` in one process (Ctrl-C, money spent, a finding), training goes on until the
    processes next agree: about once a second, since agreeing waits for the device, and at the last
    step. By what the others said the pause is the same everywhere.

    Stands behind every callback that ends training, in all processes, with the same arguments.
    With one process it does nothing.

    Arguments:
        distribution: an `acgan.distribution.Distribution`.
        last_step: the step with which training ends in any case, known to all; None if there is
            none.
        joules: `joules()` gives the energy that this machine has taken, None if not known; the
            chief, which has its own meter, gives 0.
        first_step: as for `callbacks.steps.StepCallback`.
        clock: seconds, monotonic.

    Attributes:
        ended_by_others: whether another process alone wanted to end.
        joules_of_others: energy that the other machines had taken at the last agreement since the
            first, which is after compilation; NaN if one doesn't know its own.
    """

    def __init__(self, distribution, last_step, joules=float, first_step=0, clock=time.monotonic):
        super().__init__(first_step)
        self.distribution = distribution
        self.last_step = last_step
        self.joules = joules
        self.ended_by_others = False
        self.joules_of_others = 0.0
        self._clock = clock
        self._wants_to_end = False
        self._next = first_step + 1  # step of the next agreement
        self._agreed = first_step, clock()  # step and reading of the clock

    def on_train_begin(self, logs=None):
        self._agreed = self.steps_done, self._clock()

    def on_steps_end(self, executed, logs):
        if self.distribution.workers == 1:
            return
        self._wants_to_end |= self.model.stop_training
        self.model.stop_training = False
        if self.steps_done >= self._next or self.steps_done == self.last_step:
            self._agree()

    def _agree(self):
        now = self._clock()
        step_before, then = self._agreed
        joules = self.joules()
        own = float("nan") if joules is None else joules
        wishes, seconds, all_joules = self.distribution.sums(self._wants_to_end, now - then, own)
        self.model.stop_training = wishes > 0
        self.ended_by_others = wishes > 0 and not self._wants_to_end
        self.joules_of_others = all_joules - own
        step_seconds = seconds / self.distribution.workers / (self.steps_done - step_before)
        pause = int(PAUSE_SECONDS / step_seconds) if step_seconds else LONGEST_PAUSE
        self._next = self.steps_done + min(max(pause, 1), LONGEST_PAUSE)
        self._agreed = self.steps_done, self._clock()
