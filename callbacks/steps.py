"""Counting training steps, the base of this package's callbacks."""

import keras


class StepCallback(keras.callbacks.Callback):
    """A callback that knows how many training steps were attempted since the run began.

    Keras numbers batches anew in every epoch, its `iterations` leave out steps that a loss scale
    skipped, and with `steps_per_execution` one call covers several steps. `steps_done` is right in
    all these cases, and goes on over epochs and further calls of `fit`. Only where Keras does not
    know how many batches an epoch has, a last execution of fewer steps counts in full.

    Arguments:
        first_step: steps that the run had done before, when it is continued.
    """

    def __init__(self, first_step=0):
        super().__init__()
        self.steps_done = first_step
        self.in_step = False  # whether an execution has begun and not ended
        self.last_batch = -1  # of the epoch, counted from 0
        self._first_batch = 0

    def on_train_batch_begin(self, batch, logs=None):
        self._first_batch = batch
        self.in_step = True

    def on_train_batch_end(self, batch, logs=None):
        # The last execution of an epoch may hold fewer steps than `batch` says.
        steps = self.params.get("steps")
        self.last_batch = batch if steps is None else min(batch, steps - 1)
        executed = self.last_batch - self._first_batch + 1
        self.steps_done += executed
        self.in_step = False
        self.on_steps_end(executed, logs or {})

    def on_steps_end(self, executed, logs):
        """Called after every execution of `executed` steps; `steps_done` counts them already.

        Arguments:
            executed: training steps that this execution held, at least 1.
            logs: the model's logs, floats by name.
        """

    def passed_multiple_of(self, interval, executed):
        """Whether the last `executed` steps reached or passed a multiple of `interval`."""
        return self.steps_done // interval > (self.steps_done - executed) // interval
