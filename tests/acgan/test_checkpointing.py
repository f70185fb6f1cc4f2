import keras
import numpy as np
import pytest

from acgan.checkpointing import Checkpointing


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Ticking(keras.callbacks.Callback):
    """Lets ten seconds pass in every step."""

    def __init__(self, clock):
        super().__init__()
        self.clock = clock

    def on_train_batch_begin(self, batch, logs=None):
        self.clock.now += 10.0


@pytest.fixture
def fit():
    """Fits a model for some steps with a `Checkpointing`; returns (steps saved, lines said)."""

    def run(steps, *arguments, fail_at=(), **changes):
        saved, said, clock = [], [], Clock()

        def save(step):
            if step in fail_at:
                raise OSError(28, "No space left on device")
            saved.append(step)

        saving = Checkpointing(save, *arguments, said.append, clock=clock, **changes)
        model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        x = np.zeros((steps, 1), np.float32)
        callbacks = [Ticking(clock), saving]
        model.fit(x, x, batch_size=1, verbose=0, callbacks=callbacks)
        return saved, said

    return run


def test_saves_every_so_many_steps_and_at_the_end(fit):
    assert fit(7, 3, None) == ([3, 6, 7], [])


def test_may_save_before_the_first_step_too(fit):
    assert fit(4, 3, None, at_once=True) == ([0, 3, 4], [])


def test_the_end_is_not_saved_twice(fit):
    assert fit(6, 3, None) == ([3, 6], [])


def test_saves_every_so_many_seconds(fit):
    # 10 s a step, 25 s between two: after 30, 60 and 90 s, and at the end
    assert fit(10, 0, 25.0) == ([3, 6, 9, 10], [])


def test_steps_of_a_run_that_goes_on_count_from_its_beginning(fit):
    assert fit(4, 5, None, first_step=8) == ([10, 12], [])


def test_training_goes_on_if_a_checkpoint_cant_be_written(fit):
    saved, (line,) = fit(7, 3, None, fail_at=(3,))
    assert saved == [6, 7]
    assert "step 3 can't be saved" in line
    assert "No space left" in line


def test_the_one_at_the_end_must_be_written(fit):
    with pytest.raises(OSError, match="No space left"):
        fit(7, 0, None, fail_at=(7,))
