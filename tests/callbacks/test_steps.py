import contextlib

import keras
import numpy as np
import pytest
import tensorflow as tf

from callbacks.steps import StepCallback


class Recorder(StepCallback):
    def __init__(self, first_step=0):
        super().__init__(first_step)
        self.executions = []

    def on_steps_end(self, executed, logs):
        assert set(logs) == {"loss"}
        self.executions.append((executed, self.steps_done))


@pytest.fixture
def fit():
    """Trains on five batches an epoch, of a size that Keras knows or not."""
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])

    def run(recorder, steps_per_execution=1, known_size=True, **kwargs):
        model.compile("sgd", "mse", steps_per_execution=steps_per_execution)
        batches = np.ones((5, 3, 1), np.float32)
        data = tf.data.Dataset.from_tensor_slices((batches, batches))
        expectation = contextlib.nullcontext()
        if not known_size:
            data = data.filter(lambda x, y: True)
            expectation = pytest.warns(UserWarning, match="ran out of data")
        with expectation:
            model.fit(data, verbose=0, shuffle=False, callbacks=[recorder], **kwargs)
        return recorder

    return run


def test_steps_go_on_over_epochs_and_calls_of_fit(fit):
    recorder = fit(Recorder(), epochs=2)
    assert recorder.executions == [(1, step) for step in range(1, 2 * 5 + 1)]
    fit(recorder)
    assert recorder.steps_done == 2 * 5 + 5


def test_an_execution_of_several_steps_counts_as_many(fit):
    recorder = fit(Recorder(), steps_per_execution=2, epochs=2)
    # The third execution of an epoch has one step left.
    assert recorder.executions == [(2, 2), (2, 4), (1, 5), (2, 7), (2, 9), (1, 10)]


def test_data_of_unknown_size(fit):
    recorder = fit(Recorder(), known_size=False, epochs=2)
    assert recorder.executions == [(1, step) for step in range(1, 2 * 5 + 1)]


def test_steps_per_epoch_that_end_an_epoch_early(fit):
    recorder = fit(Recorder(), steps_per_execution=2, steps_per_epoch=3)
    assert recorder.executions == [(2, 2), (1, 3)]


def test_a_continued_run_goes_on_in_its_steps(fit):
    assert fit(Recorder(first_step=100)).executions[0] == (1, 101)


@pytest.mark.parametrize(
    ("steps_done", "executed", "interval", "passed"),
    [
        (9, 1, 10, False),
        (10, 1, 10, True),
        (11, 1, 10, False),
        (11, 2, 10, True),
        (12, 2, 10, False),
        (20, 1, 10, True),
        (25, 25, 10, True),
        (5, 1, 1, True),
    ],
)
def test_multiples_that_are_reached_or_passed(steps_done, executed, interval, passed):
    callback = StepCallback(first_step=steps_done)
    assert callback.passed_multiple_of(interval, executed) is passed
