"""Beginning to train with the same state in all processes."""

import keras

from acgan.model_state import variables


class SameStart(keras.callbacks.Callback):
    """Copies the chief's weights, optimizers and losses into all processes as training begins.

    Stands behind whatever changes them then, in all processes. With one process it does nothing.

    Arguments:
        distribution: an `acgan.distribution.Distribution`.
    """

    def __init__(self, distribution):
        super().__init__()
        self.distribution = distribution

    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 0 and self.distribution.workers > 1:
            self.distribution.copy_from_chief([v for _, v in variables(self.model)])
