"""Something done every few seconds of training."""

import time

import keras


class Regularly(keras.callbacks.Callback):
    """Calls a function every few seconds between two steps, in the thread that trains.

    Arguments:
        function: called without arguments.
        every_seconds: the least time between two calls.
        clock: seconds, monotonic.
    """

    def __init__(self, function, every_seconds=5.0, clock=time.monotonic):
        super().__init__()
        self.function = function
        self.every_seconds = every_seconds
        self.clock = clock
        self._called_at = clock()

    def on_train_batch_end(self, batch, logs=None):
        if self.clock() - self._called_at >= self.every_seconds:
            self.function()
            self._called_at = self.clock()
