import keras
import numpy as np
import pytest
import tensorflow as tf
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray

from callbacks.board import Board
from callbacks.losses import Losses


def points(folder, tag):
    events = EventAccumulator(str(folder)).Reload().Tensors(tag)
    return [(event.step, make_ndarray(event.tensor_proto).item()) for event in events]


@pytest.fixture
def fit():
    """Trains on losses that are handed in: the targets, since the model predicts 0 for ever."""
    model = keras.Sequential([keras.Input((1,)), keras.layers.Rescaling(0.0)])

    def run(losses, *callbacks, steps_per_execution=1, **kwargs):
        model.compile("sgd", "mae", steps_per_execution=steps_per_execution)
        targets = np.array(losses, np.float32).reshape(-1, 1, 1)
        data = tf.data.Dataset.from_tensor_slices((np.ones_like(targets), targets))
        with pytest.warns(UserWarning, match="does not have any trainable weights"):
            model.fit(data, verbose=0, shuffle=False, callbacks=list(callbacks), **kwargs)

    return run


def test_a_point_is_the_mean_over_its_interval(fit, tmp_path):
    losses = Losses(Board(tmp_path), {"loss": "loss/total"}, interval=2)
    fit([1, 2, 4, 8, 16], losses)
    assert points(tmp_path, "loss/total") == [(2, (1 + 2) / 2), (4, (4 + 8) / 2)]
    assert losses.latest == {"loss": (4 + 8) / 2}


def test_a_continued_run_goes_on_in_its_steps(fit, tmp_path):
    fit([1, 2, 4, 8], Losses(Board(tmp_path), {"loss": "a"}, interval=2, first_step=101))
    assert points(tmp_path, "a") == [(102, 1.0), (104, (2 + 4) / 2)]


def test_several_steps_an_execution(fit, tmp_path):
    board = Board(tmp_path)
    fit([1, 2, 4, 8, 16, 32], Losses(board, {"loss": "a"}, interval=3), steps_per_execution=2)
    # Executions end at 2, 4 and 6; the third step was passed at 4, the sixth is reached at 6.
    assert points(tmp_path, "a") == [(4, (1 + 2 + 4 + 8) / 4), (6, (16 + 32) / 2)]


def test_an_epoch_begins_its_means_anew(fit, tmp_path):
    fit([1, 2, 4], Losses(Board(tmp_path), {"loss": "a"}, interval=2), epochs=2)
    # Keras resets the metrics when an epoch begins: the loss of 4 before it is in no point.
    assert points(tmp_path, "a") == [(2, (1 + 2) / 2), (4, 1.0), (6, (2 + 4) / 2)]
