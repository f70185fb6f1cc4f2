import copy
import itertools

import keras
import numpy as np
import pytest
import tensorflow as tf
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray

from callbacks.board import Board
from callbacks.step_time import StepTime


class ScriptedClock:
    """Reads 0, then goes on by each of the given durations within an execution, 100 between."""

    def __init__(self, durations):
        self.durations = iter(durations)
        self.now = 0.0
        self.readings = 0

    def __call__(self):
        self.now += next(self.durations) if self.readings % 2 else 100.0
        self.readings += 1
        return self.now


def build(**compile_arguments):
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", **compile_arguments)
    return model


def data(images, batch):
    return tf.data.Dataset.from_tensor_slices((np.ones((images, 3)), np.ones((images, 1)))).batch(
        batch
    )


def fit(model, callbacks, images=20, batch=4, epochs=1):
    model.fit(data(images, batch), epochs=epochs, verbose=0, shuffle=False, callbacks=callbacks)


def test_the_first_execution_is_left_out():
    # Five batches: the first traces, the others take 10, 20, 30 and 40 ms.
    clock = ScriptedClock([5.0, 0.010, 0.020, 0.030, 0.040])
    step_time = StepTime(None, images_per_step=4, clock=clock)
    fit(build(), [step_time])
    rates = step_time.rates()
    assert rates.mean_ms == pytest.approx((10 + 20 + 30 + 40) / 4)
    assert rates.p50_ms == pytest.approx((20 + 30) / 2)
    assert rates.p95_ms == pytest.approx(30 + 0.85 * (40 - 30))
    assert rates.images_per_second == pytest.approx(4 * 4 / 0.100)
    assert rates.batches_per_second == pytest.approx(4 / 0.100)
    assert rates.measured_steps == 4
    assert step_time.compile_seconds == 5.0


def test_with_several_steps_an_execution_each_counts_with_their_mean():
    # 10 batches as 4 + 4 + 2: the first execution traces; the last is short.
    clock = ScriptedClock([5.0, 0.080, 0.020])
    step_time = StepTime(None, images_per_step=4, clock=clock)
    fit(build(steps_per_execution=4), [step_time], images=40)
    rates = step_time.rates()
    assert step_time.steps_done == 4 + 4 + 2
    assert rates.measured_steps == 4 + 2
    assert rates.mean_ms == pytest.approx((80 + 20) / (4 + 2))
    assert rates.p50_ms == pytest.approx(80 / 4)
    assert rates.images_per_second == pytest.approx((4 + 2) * 4 / 0.100)


def test_a_short_last_batch_counts_its_images_alone():
    # 18 images in batches of 4: 4, 4, 4, 4 and 2. The short batch is of a new shape and may trace
    # in the first epoch; in the second all are steady but the first execution of the fit.
    model = build()
    fit(model, [], images=18, epochs=1)
    clock = ScriptedClock([1.0, 0.010, 0.010, 0.010, 0.010])
    step_time = StepTime(None, images_per_step=4, images_per_epoch=18, clock=clock)
    fit(model, [step_time], images=18)
    assert step_time.rates().measured_steps == 4
    assert step_time.rates().images_per_second == pytest.approx((4 + 4 + 4 + 2) / 0.040)


def test_retraces_are_left_out_and_booked_as_compiling():
    model = build()
    step_time = StepTime(None, images_per_step=4, clock=ScriptedClock([5.0, 0.010, 0.010]))
    fit(model, [step_time], images=12)
    model.make_train_function(force=True)  # as after a change of what is trainable
    step_time.clock = ScriptedClock([7.0, 0.010, 0.010])
    fit(model, [step_time], images=12)
    assert step_time.compile_seconds == 5.0 + 7.0
    assert step_time.rates().measured_steps == 2 + 2
    assert step_time.rates().mean_ms == pytest.approx(10)


def test_a_second_fit_leaves_out_its_first_execution_and_counts_on():
    model = build()
    step_time = StepTime(None, 4, clock=ScriptedClock([5.0, 0.010, 3.0, 0.030]))
    fit(model, [step_time], images=8)
    fit(model, [step_time], images=8)
    assert step_time.steps_done == 4
    assert step_time.rates().mean_ms == pytest.approx((10 + 30) / 2)
    assert step_time.compile_seconds == 5.0


def test_profiled_steps_are_left_out(monkeypatch):
    running = iter([False, False, True, True, False])
    monkeypatch.setattr("callbacks.step_time.profiler_is_running", lambda: next(running))
    clock = ScriptedClock([5.0, 0.010, 9.0, 9.0, 0.030])
    step_time = StepTime(None, images_per_step=4, clock=clock)
    fit(build(), [step_time])
    assert step_time.rates().mean_ms == pytest.approx((10 + 30) / 2)


@pytest.mark.parametrize("position", ["first", "last"])
def test_other_callbacks_and_evaluation_take_no_part(position):
    clock = ScriptedClock(itertools.chain([5.0], itertools.repeat(0.010)))

    class Busy(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            clock.now += 50

        def on_train_batch_end(self, batch, logs=None):
            clock.now += 50

    step_time = StepTime(None, images_per_step=4, clock=clock)
    callbacks = [step_time, Busy()] if position == "first" else [Busy(), step_time]
    build_model = build()
    build_model.fit(
        data(20, 4),
        epochs=2,
        verbose=0,
        shuffle=False,
        callbacks=callbacks,
        validation_data=data(8, 4),
    )
    assert step_time.rates().measured_steps == 2 * 5 - 1
    assert step_time.rates().mean_ms == pytest.approx(10)
    assert step_time.rates().p95_ms == pytest.approx(10)


def test_points_are_about_the_steps_since_the_last(tmp_path):
    board = Board(tmp_path)
    clock = ScriptedClock([5.0, 0.010, 0.020, 0.040])
    step_time = StepTime(board, 4, interval=2, flops_per_step=3e9, peak_tflops=0.5, clock=clock)
    fit(build(), [step_time], images=16)
    board.close()
    events = EventAccumulator(str(tmp_path)).Reload()

    def points(tag):
        return [(e.step, make_ndarray(e.tensor_proto).item()) for e in events.Tensors(tag)]

    assert points("step_time/mean_ms") == [(2, pytest.approx(10)), (4, pytest.approx(30))]
    assert points("throughput/images_per_second")[1] == (4, pytest.approx(2 * 4 / 0.060))
    # 3 GFLOP in 10 ms are 0.3 TFLOP/s, of 0.5 that are 60 %.
    assert points("throughput/model_tflops_per_second")[0] == (2, pytest.approx(0.3))
    assert points("throughput/mfu_percent")[0] == (2, pytest.approx(60))


def test_what_is_unknown_is_not_logged(tmp_path):
    board = Board(tmp_path)
    fit(build(), [StepTime(board, 4, interval=2)])
    board.close()
    tags = EventAccumulator(str(tmp_path)).Reload().Tags()["tensors"]
    assert "step_time/mean_ms" in tags
    assert "throughput/mfu_percent" not in tags


def test_a_copy_measures_for_itself(tmp_path):
    step_time = StepTime(Board(tmp_path), 4)
    twin = copy.deepcopy(step_time)
    fit(build(), [twin])
    assert twin.rates().measured_steps == 4
    assert step_time.rates() is None


def test_the_model_is_left_as_it_was():
    model = build()
    fit(model, [])
    before = model.train_function
    fit(model, [StepTime(None, 4)])
    assert model.train_function is before


def test_eager_training_is_measured_too():
    step_time = StepTime(None, 4, clock=ScriptedClock([1.0, 0.010, 0.030, 0.010, 0.030]))
    fit(build(run_eagerly=True), [step_time])
    assert step_time.rates().mean_ms == pytest.approx(20)


def test_a_fit_that_failed_does_not_break_the_next():
    class Fail(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            raise RuntimeError("on purpose")

    model = build()
    with pytest.raises(RuntimeError, match="on purpose"):
        fit(model, [StepTime(None, 4), Fail()])
    step_time = StepTime(None, 4)
    fit(model, [step_time])
    assert step_time.rates().measured_steps == 4


def test_two_measure_side_by_side():
    first, second = StepTime(None, 4), StepTime(None, 4)
    fit(build(), [first, second])
    assert first.rates().measured_steps == second.rates().measured_steps == 4


def test_logs_that_are_no_scalars_are_left_as_they_are():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2, activation="softmax")])
    model.compile("sgd", "categorical_crossentropy", metrics=[keras.metrics.F1Score()])
    y = np.eye(2)[np.arange(20) % 2]
    step_time = StepTime(None, 4)
    history = model.fit(
        np.ones((20, 3)), y, batch_size=4, verbose=0, shuffle=False, callbacks=[step_time]
    )
    assert np.shape(history.history["f1_score"][0]) == (2,)
    assert step_time.rates().measured_steps == 4
