import os
import signal

import keras
import numpy as np
import pytest
import tensorflow as tf

from acgan.interruption import Interruption
from acgan.stopping import StopAfter


@pytest.fixture
def fit():
    """Trains on endless batches; returns how many steps the optimizer made."""
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    batch = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
    data = tf.data.Dataset.from_tensors(batch).repeat()

    def run(*callbacks):
        model.fit(data, verbose=0, shuffle=False, callbacks=list(callbacks))
        return int(model.optimizer.iterations)

    return run


def test_a_number_of_steps_ends_training(fit):
    stop = StopAfter(steps=3, seconds=None, spent=lambda: 1e9)
    assert fit(stop) == 3
    assert stop.steps_done == 3
    assert stop.share_done() == 1


def test_a_time_ends_training_after_the_step_that_passes_it(fit):
    stop = StopAfter(steps=None, seconds=35, spent=lambda: 10 * stop.steps_done)
    assert fit(stop) == 4  # after 10, 20, 30 and 40 seconds


def test_the_earlier_limit_ends_training(fit):
    stop = StopAfter(steps=100, seconds=20, spent=lambda: 10 * stop.steps_done)
    assert fit(stop) == 2


def test_a_signal_ends_training_after_its_step(fit):
    interruption = Interruption()
    stop = StopAfter(None, None, lambda: 0.0, lambda: interruption.received is not None)

    class Interrupting(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            if batch == 2:
                os.kill(os.getpid(), signal.SIGTERM)

    with interruption:
        interruption.deferred = True
        assert fit(Interrupting(), stop) == 3
    assert interruption.received == "SIGTERM"


@pytest.mark.parametrize(
    ("steps", "seconds", "done", "spent", "share"),
    [
        (10, None, 4, 99.0, 4 / 10),
        (None, 20, 4, 5.0, 5 / 20),
        (10, 20, 4, 5.0, 4 / 10),
        (10, 20, 4, 15.0, 15 / 20),
        (10, 20, 4, 30.0, 1),
        (None, None, 4, 30.0, 0),
    ],
)
def test_the_share_done_is_that_of_the_closer_limit(steps, seconds, done, spent, share):
    stop = StopAfter(steps, seconds, lambda: spent)
    stop.steps_done = done
    assert stop.share_done() == share
