"""The means of the losses since the last point, of a run that goes on between two points."""

import keras

from acgan.model_state import set_losses


class LossMeans(keras.callbacks.Callback):
    """Gives the model its means back after `fit`, which begins by resetting them.

    Arguments:
        arrays: as `acgan.model_state.get_arrays` returned them.
    """

    def __init__(self, arrays):
        super().__init__()
        self.arrays = arrays

    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 0:
            set_losses(self.model, self.arrays)
