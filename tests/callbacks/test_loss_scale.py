import copy

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras.optimizers import SGD, Adam, LossScaleOptimizer
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray

from callbacks.board import Board
from callbacks.loss_scale import LossScale, loss_scaling_optimizers

SCALE = 2.0**15  # Keras' initial one


class TwoWeights(keras.Model):
    """Two weights, each with an optimizer of its own; the gradients are what the batch says."""

    def __init__(self):
        super().__init__()
        self.generator = self.add_weight(name="generator", initializer="ones")
        self.discriminator = self.add_weight(name="discriminator", initializer="ones")
        self.built = True

    def compile(self, generator_optimizer, discriminator_optimizer, updates=1, **kwargs):
        super().compile(optimizer=None, **kwargs)
        self.generator_optimizer = generator_optimizer
        self.discriminator_optimizer = discriminator_optimizer
        self.updates = updates  # of the discriminator in a step
        generator_optimizer.build([self.generator])
        discriminator_optimizer.build([self.discriminator])

    def train_step(self, batch):
        gradients = tf.reduce_mean(batch, axis=0)
        self.generator_optimizer.apply([gradients[0]], [self.generator])
        for _ in range(self.updates):
            self.discriminator_optimizer.apply([gradients[1]], [self.discriminator])
        return {"loss": gradients[0]}


def two_weights(initial_scale=SCALE, growth_steps=2000, updates=1, **kwargs):
    model = TwoWeights()
    optimizers = [
        LossScaleOptimizer(SGD(), initial_scale, growth_steps),
        LossScaleOptimizer(SGD(), initial_scale, growth_steps),
    ]
    model.compile(*optimizers, updates=updates, **kwargs)
    return model


def fit(model, callback, steps, bad_generator=(), bad_discriminator=(), epochs=1):
    """Fits; the steps named, counted from 1 in each epoch, have a gradient that is not finite."""
    gradients = np.full((steps, 2), 0.5, np.float32)
    gradients[np.array(bad_generator, int) - 1, 0] = np.inf
    gradients[np.array(bad_discriminator, int) - 1, 1] = np.nan
    data = tf.data.Dataset.from_tensor_slices(gradients).batch(1)
    model.fit(data, epochs=epochs, verbose=0, shuffle=False, callbacks=[callback])


def points(folder, tag):
    events = EventAccumulator(str(folder), size_guidance={"tensors": 0}).Reload()
    return [(event.step, float(make_ndarray(event.tensor_proto))) for event in events.Tensors(tag)]


def dense(optimizer):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile(optimizer, "mse")
    return model


def test_each_optimizer_has_its_scale_and_its_skipped_steps(tmp_path):
    loss_scale = LossScale(Board(tmp_path), interval=4)
    assert loss_scale.record() is None
    fit(two_weights(), loss_scale, 10, bad_generator=[2, 5], bad_discriminator=[5])
    loss_scale.board.close()
    assert loss_scale.record() == {
        "generator": {"final": SCALE / 2 / 2, "skipped_steps": 1 + 1},
        "discriminator": {"final": SCALE / 2, "skipped_steps": 1},
    }
    # A point every 4 steps, and one at the end.
    assert points(tmp_path, "loss_scale/generator") == [
        (4, SCALE / 2),
        (8, SCALE / 4),
        (10, SCALE / 4),
    ]
    assert points(tmp_path, "loss_scale/skipped_steps_generator") == [(4, 1), (8, 2), (10, 2)]
    assert points(tmp_path, "loss_scale/discriminator")[0] == (4, SCALE)
    assert points(tmp_path, "loss_scale/skipped_steps_discriminator") == [(4, 0), (8, 1), (10, 1)]


def test_the_end_is_not_logged_twice(tmp_path):
    loss_scale = LossScale(Board(tmp_path), interval=4)
    fit(two_weights(), loss_scale, 8)
    loss_scale.board.close()
    assert [step for step, _ in points(tmp_path, "loss_scale/generator")] == [4, 8]


def test_several_steps_an_execution_epochs_and_a_second_fit():
    # 10 steps run as 4 + 4 + 2.
    model, loss_scale = two_weights(steps_per_execution=4), LossScale(None)
    fit(model, loss_scale, 10, bad_generator=[3, 10], epochs=2)
    assert loss_scale.record()["generator"]["skipped_steps"] == 2 * 2
    fit(model, loss_scale, 10, bad_generator=[1])
    assert loss_scale.steps_done == 2 * 10 + 10
    assert loss_scale.record()["generator"] == {
        "final": SCALE / 2 ** (2 * 2 + 1),
        "skipped_steps": 2 * 2 + 1,
    }
    assert loss_scale.record()["discriminator"] == {"final": SCALE, "skipped_steps": 0}


def test_steps_of_another_fit_between_are_not_counted():
    model, loss_scale = two_weights(), LossScale(None)
    fit(model, loss_scale, 5, bad_generator=[1])
    fit(model, keras.callbacks.Callback(), 7, bad_generator=[1, 2])
    fit(model, loss_scale, 5, bad_generator=[4])
    assert loss_scale.record()["generator"]["skipped_steps"] == 1 + 1


def test_a_continued_run_counts_the_steps_skipped_before():
    model = two_weights()
    fit(model, keras.callbacks.Callback(), 10, bad_generator=[1, 2, 3])
    loss_scale = LossScale(None, first_step=10)
    fit(model, loss_scale, 5, bad_generator=[5])
    assert loss_scale.record()["generator"]["skipped_steps"] == 3 + 1
    assert loss_scale.record()["discriminator"]["skipped_steps"] == 0


@pytest.mark.parametrize("steps_before, first_step", [(7, 0), (0, 100)])
def test_a_model_that_did_not_come_with_the_run_starts_at_none_skipped(steps_before, first_step):
    model = two_weights()
    if steps_before:
        fit(model, keras.callbacks.Callback(), steps_before)
    loss_scale = LossScale(None, first_step=first_step)
    fit(model, loss_scale, 5, bad_generator=[2])
    assert loss_scale.record()["generator"]["skipped_steps"] == 1


def test_an_optimizer_applied_several_times_a_step_counts_updates():
    model = two_weights(updates=3)
    loss_scale = LossScale(None, updates_per_step={"discriminator": 3})
    fit(model, loss_scale, 5, bad_generator=[1], bad_discriminator=[1, 4])
    assert loss_scale.record()["generator"]["skipped_steps"] == 1
    assert loss_scale.record()["discriminator"]["skipped_steps"] == 3 + 3


def test_without_being_told_the_count_is_unknown_not_zero():
    loss_scale = LossScale(None)
    fit(two_weights(updates=3), loss_scale, 5)
    assert loss_scale.record()["discriminator"] == {"final": SCALE, "skipped_steps": None}


def test_accumulated_gradients_count_as_steps():
    model = two_weights()
    accumulating = LossScaleOptimizer(SGD(gradient_accumulation_steps=4))
    model.compile(accumulating, LossScaleOptimizer(SGD()))
    loss_scale = LossScale(None)
    fit(model, loss_scale, 10, bad_generator=[6])
    assert loss_scale.record()["generator"]["skipped_steps"] == 1


def test_a_scale_below_1_is_reported_each_time_it_begins():
    # 1 -> 0.5 -> 0.25, doubled after 2 finite steps each: 0.5, 1; then 0.5 again.
    reports = []
    model = two_weights(initial_scale=1.0, growth_steps=2)
    fit(model, LossScale(None, interval=1, report=reports.append), 8, bad_generator=[1, 2, 7])
    assert len(reports) == 2
    assert reports[0].startswith("warning: step 1: the loss scale of generator fell to 0.5:")
    assert reports[1].startswith("warning: step 7: the loss scale of generator fell to 0.5:")


@pytest.mark.parametrize("bad, reported", [(50, 0), (51, 1)])
def test_more_than_half_of_the_last_100_steps_skipped_is_reported_once(bad, reported):
    reports = []
    model = two_weights(initial_scale=2.0**70)
    fit(model, LossScale(None, report=reports.append), 200, bad_discriminator=range(1, bad + 1))
    assert len(reports) == reported
    if reported:  # read at step 60, the first reading after step 51
        message = "warning: step 60: the loss scale of discriminator skipped 51 of the last 100 up"
        assert reports[0].startswith(message)


def test_the_last_100_steps_are_not_the_first():
    # Of 300 steps 51 are skipped in one window of 100, 151 to 201, which starts after a reading.
    reports = []
    model = two_weights(initial_scale=2.0**70)
    fit(model, LossScale(None, report=reports.append), 300, bad_generator=range(151, 202))
    assert len(reports) == 1
    assert reports[0].startswith("warning: step 210: the loss scale of generator skipped 51 of")


def test_skipping_that_begins_anew_is_reported_anew():
    reports = []
    bad = [*range(1, 61), *range(201, 261)]
    model = two_weights(initial_scale=2.0**125)
    fit(model, LossScale(None, report=reports.append), 300, bad_generator=bad)
    assert [report.split(":")[1] for report in reports] == [" step 60", " step 260"]


def test_a_model_without_loss_scale_logs_nothing(tmp_path):
    loss_scale = LossScale(Board(tmp_path / "logs"), interval=1)
    dense("sgd").fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0, callbacks=[loss_scale])
    assert loss_scale.record() is None
    assert not (tmp_path / "logs").exists()


@pytest.fixture
def mixed_float16():
    keras.config.set_dtype_policy("mixed_float16")
    yield
    keras.config.set_dtype_policy("float32")


def test_the_optimizer_that_keras_wraps_by_itself(tmp_path, mixed_float16):
    # A first gradient of -2 * 0.1 * 2^15 = -6554 fits; the second batch of three is not finite.
    model = keras.Sequential(
        [keras.Input((2,)), keras.layers.Dense(1, kernel_initializer="zeros")], name="not_the_tag"
    )
    model.compile("sgd", "mse")
    loss_scale = LossScale(Board(tmp_path), interval=1)
    x = np.ones((3, 2), np.float32)
    x[1] = np.inf
    y = np.full((3, 1), 0.1, np.float32)
    model.fit(x, y, batch_size=1, shuffle=False, verbose=0, callbacks=[loss_scale])
    loss_scale.board.close()
    assert loss_scale.record() == {"model": {"final": SCALE / 2, "skipped_steps": 1}}
    assert points(tmp_path, "loss_scale/skipped_steps_model") == [(1, 0), (2, 1), (3, 1)]


def test_two_replicas():
    # Not by collectives: TensorFlow numbers them anew in each strategy, so that two strategies in
    # one process, of two tests, take each other's for their own.
    strategy = tf.distribute.MirroredStrategy(
        ["CPU:0", "CPU:1"], tf.distribute.ReductionToOneDevice()
    )
    with strategy.scope():
        model = two_weights(jit_compile=False)
    loss_scale = LossScale(None, interval=1)
    data = np.full((8, 2), 0.5, np.float32)
    data[4:6, 0] = np.inf  # the third batch, on both replicas
    data = tf.data.Dataset.from_tensor_slices(data).batch(2)
    model.fit(data, verbose=0, shuffle=False, callbacks=[loss_scale])
    assert loss_scale.record() == {
        "generator": {"final": SCALE / 2, "skipped_steps": 1},
        "discriminator": {"final": SCALE, "skipped_steps": 0},
    }


def test_copies_count_apart():
    original = LossScale(Board("unused"), interval=1000)
    copies = [copy.deepcopy(original), copy.deepcopy(original)]
    for bad, loss_scale in zip(([1], [1, 2]), copies, strict=True):
        loss_scale.board = None
        fit(two_weights(), loss_scale, 4, bad_generator=bad)
    skipped = [each.record()["generator"]["skipped_steps"] for each in copies]
    assert skipped == [1, 2]
    assert original.record() is None


@pytest.mark.parametrize(
    "hold, name",
    [
        (lambda model, optimizer: setattr(model, "generator_optimizer", optimizer), "generator"),
        (lambda model, optimizer: setattr(model, "optimizer_generator", optimizer), "generator"),
        (lambda model, optimizer: setattr(model, "_g_optimizer", optimizer), "g"),
        (lambda model, optimizer: setattr(model, "optimizer", optimizer), "model"),
        (lambda model, optimizer: setattr(model, "optimizers", [SGD(), optimizer]), "1"),
        (lambda model, optimizer: setattr(model, "optimizers", {"critic": optimizer}), "critic"),
        (lambda model, optimizer: setattr(model, "stages", ({"a": [optimizer]},)), "stages_0_a_0"),
        (lambda model, optimizer: setattr(model, "both", [optimizer, optimizer]), "both_0"),
    ],
)
def test_names_follow_from_where_an_optimizer_is_held(hold, name):
    class Subclass(LossScaleOptimizer):
        pass

    for kind in (LossScaleOptimizer, Subclass):
        model, optimizer = keras.Model(), kind(Adam())
        model.ordinary_optimizer = Adam()
        hold(model, optimizer)
        found = loss_scaling_optimizers(model)
        assert list(found) == [name]
        assert found[name] is optimizer


def test_an_optimizer_of_a_model_within_the_model():
    model = keras.Model()
    model.critic = dense(LossScaleOptimizer(SGD()))
    assert loss_scaling_optimizers(model) == {"critic": model.critic.optimizer}


def test_an_optimizer_goes_by_its_public_name():
    model = keras.Model()
    model._first = LossScaleOptimizer(SGD())
    model.second_optimizer = model._first
    assert loss_scaling_optimizers(model) == {"second": model._first}


def test_a_name_that_is_taken_gets_a_number():
    model = keras.Model()
    model.a_optimizer = LossScaleOptimizer(SGD())
    model.optimizer_a = LossScaleOptimizer(SGD())
    model.optimizers = {"a": LossScaleOptimizer(SGD())}
    assert list(loss_scaling_optimizers(model)) == ["a", "a_2", "a_3"]
