import copy

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras.optimizers import SGD, Adam, LossScaleOptimizer
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray

from callbacks.board import Board
from callbacks.gradient_range import (
    GradientRange,
    NetworkGradients,
    compiled_model_gradients,
    learning_rate,
    loss_scale,
)
from callbacks.loss_scale import LossScale


class Linear(keras.Model):
    """`sum(weights * batch)`: the gradient of the weights is the batch, whatever they are."""

    def __init__(self, size, optimizer):
        super().__init__()
        self.critic = self.add_weight(shape=(size,), initializer="ones", name="critic")
        self.built = True
        self.compile()
        self.critic_optimizer = optimizer
        optimizer.build([self.critic])

    def train_step(self, batch):
        gradients = self.gradients(batch)
        self.critic_optimizer.apply(gradients, [self.critic])
        return {"loss": 0.0}

    def gradients(self, batch):
        with tf.GradientTape() as tape:
            loss = self.critic_optimizer.scale_loss(tf.reduce_sum(self.critic * batch))
        return tape.gradient(loss, [self.critic])


def linear_gradients(model, batch):
    return {
        "critic": NetworkGradients(model.gradients(batch), [model.critic], model.critic_optimizer)
    }


def fit_linear(model, callback, steps):
    data = tf.data.Dataset.from_tensors(np.zeros(model.critic.shape, np.float32)).repeat(steps)
    model.fit(data, verbose=0, shuffle=False, callbacks=[callback])


def measured(model, gradients, batch):
    """The shares of a model without any training."""
    gradient_range = GradientRange(gradients, batch, None)
    gradient_range.set_model(model)
    gradient_range.measure()
    return gradient_range.latest


def dense(*layers, optimizer=None, inputs=(2,), **compile_arguments):
    model = keras.Sequential([keras.Input(inputs), *layers])
    model.compile(optimizer or LossScaleOptimizer(SGD(0.01)), "mse", **compile_arguments)
    return model


def state_of(model):
    variables = [*model.variables, *model.metrics_variables, *model.optimizer.variables]
    return {v.path: keras.ops.convert_to_numpy(v).copy() for v in variables}


def test_the_shares_of_a_network_with_a_step_of_its_own(tmp_path):
    # Four gradients beside weights of 1, learning rate 1/2: 2^-26 flushes without scale and
    # survives with it; 2^-12 / 2 is no more than half the gap below 1; 4 * 2^15 overflows.
    batch = np.float32([2.0**-26, 2.0**-12, 4.0, 0.25])
    model = Linear(4, LossScaleOptimizer(SGD(0.5)))
    gradient_range = GradientRange(linear_gradients, batch, Board(tmp_path), interval=3)
    fit_linear(model, gradient_range, 6)
    gradient_range.board.close()
    expected = {
        "underflow_percent_unscaled": 100 * 1 / 4,
        "underflow_percent_scaled": 0.0,
        "overflow_percent_scaled": 100 * 1 / 4,
        "update_underflow_percent": 100 * (1 + 1) / 4,
    }
    assert gradient_range.latest == {"critic": expected}
    events = EventAccumulator(str(tmp_path), size_guidance={"tensors": 0}).Reload()
    tags = [f"gradients/critic_{name}" for name in expected]
    assert sorted(events.Tags()["tensors"]) == sorted([*tags, "gradients/critic_log2"])
    for tag, percent in zip(tags, expected.values(), strict=True):
        points = [(e.step, float(make_ndarray(e.tensor_proto))) for e in events.Tensors(tag)]
        assert points == [(3, percent), (6, percent)]
    histogram = make_ndarray(events.Tensors("gradients/critic_log2")[0].tensor_proto)
    counts = {(left, right): count for left, right, count in histogram if count}
    assert counts == {(-26, -25): 1, (-12, -11): 1, (2, 3): 1, (-2, -1): 1}
    metadata = events.SummaryMetadata("gradients/critic_log2")
    assert metadata.plugin_data.plugin_name == "histograms"


def test_the_scale_of_the_moment_counts():
    model = Linear(2, LossScaleOptimizer(SGD(0.5), initial_scale=4.0))
    batch = np.float32([2.0**-26, 1.0])
    assert measured(model, linear_gradients, batch)["critic"]["underflow_percent_scaled"] == 0
    model.critic_optimizer.dynamic_scale.assign(2.0)  # 2^-26 * 2 = 2^-25 flushes
    assert measured(model, linear_gradients, batch)["critic"]["underflow_percent_scaled"] == 50


def test_without_loss_scaling_the_scaled_tags_are_absent(tmp_path):
    model = Linear(2, SGD(0.5))
    batch = np.float32([2.0**-26, 1.0])
    gradient_range = GradientRange(linear_gradients, batch, Board(tmp_path))
    fit_linear(model, gradient_range, 1)
    gradient_range.board.close()
    events = EventAccumulator(str(tmp_path)).Reload()
    assert sorted(events.Tags()["tensors"]) == [
        "gradients/critic_log2",
        "gradients/critic_underflow_percent_unscaled",
        "gradients/critic_update_underflow_percent",
    ]


def test_a_network_without_gradients_logs_nothing(tmp_path):
    gradient_range = GradientRange(linear_gradients, np.zeros(2, np.float32), Board(tmp_path))
    fit_linear(Linear(2, LossScaleOptimizer(SGD())), gradient_range, 1)
    gradient_range.board.close()
    assert set(gradient_range.latest["critic"].values()) == {None}
    assert EventAccumulator(str(tmp_path)).Reload().Tags()["tensors"] == []


def test_a_variable_without_gradient_is_left_out():
    def gradients(model, batch):
        (gradient,) = model.gradients(batch)
        variables = [model.critic, model.critic]
        return {"critic": NetworkGradients([None, gradient], variables, model.critic_optimizer)}

    shares = measured(Linear(2, SGD()), gradients, np.float32([2.0**-26, 1.0]))
    assert shares["critic"]["underflow_percent_unscaled"] == 100 * 1 / 2


def test_steps_between_measurements_and_at_the_end():
    steps = []

    def gradients(model, batch):
        steps.append(gradient_range.steps_done)
        return linear_gradients(model, batch)

    gradient_range = GradientRange(gradients, np.ones(1, np.float32), None, interval=4)
    model = Linear(1, SGD())
    model.run_eagerly = True  # so that `gradients` is called every time
    fit_linear(model, gradient_range, 6)
    fit_linear(model, gradient_range, 6)
    assert steps == [4, 6, 8, 12]
    continued = gradient_range = GradientRange(gradients, np.ones(1, np.float32), None, 4, 10)
    steps.clear()
    fit_linear(model, continued, 2)
    assert steps == [10 + 2]


def test_a_compiled_model_by_hand():
    # w = 1, squared error: d/dw (w x - y)^2 = 2 (x - y) x.
    # x = 1: y = 0.5 gives the gradient 1; the scale divides out.
    model = dense(keras.layers.Dense(1, use_bias=False, kernel_initializer="ones"), inputs=(1,))
    gradient_range = GradientRange(
        compiled_model_gradients, (np.float32([[1.0]]), np.float32([[0.5]])), Recorder()
    )
    gradient_range.set_model(model)
    gradient_range.measure()
    assert gradient_range.board.histograms == {"gradients/model_log2": [[0, 1, 1]]}


def test_sample_weights_count():
    # As above, with weights 2^-30 and 0: the mean over two samples halves 2^-30 * 1.
    model = dense(keras.layers.Dense(1, use_bias=False, kernel_initializer="ones"), inputs=(1,))
    batch = (np.float32([[1], [1]]), np.float32([[0.5], [0.5]]), np.float32([2.0**-30, 0]))
    gradient_range = GradientRange(compiled_model_gradients, batch, Recorder())
    gradient_range.set_model(model)
    gradient_range.measure()
    assert gradient_range.board.histograms == {"gradients/model_log2": [[-31, -30, 1]]}


class Recorder:
    def __init__(self):
        self.histograms = {}

    def scalars(self, values, step):
        pass

    def histogram(self, tag, buckets, step):
        self.histograms[tag] = buckets.tolist()


@pytest.mark.parametrize("jit_compile", [False, True])
def test_an_embedding_counts_the_rows_that_the_batch_touched(jit_compile):
    # 1000 rows; ids 3, 3, 7. Each use has the gradient 2 * (1 - 0.5) / 3 = 1/3; row 3 adds up to
    # 2/3, between 2^-1 and 1, row 7 is between 2^-2 and 2^-1.
    model = keras.Sequential(
        [
            keras.Input((), dtype="int32"),
            keras.layers.Embedding(1000, 1, embeddings_initializer="ones"),
        ]
    )
    model.compile(LossScaleOptimizer(SGD()), "mse", jit_compile=jit_compile)
    batch = (np.int32([3, 3, 7]), np.full((3, 1), 0.5, np.float32))
    gradient_range = GradientRange(compiled_model_gradients, batch, Recorder())
    gradient_range.set_model(model)
    gradient_range.measure()
    buckets = gradient_range.board.histograms["gradients/model_log2"]
    assert buckets == [[-2, -1, 1], [-1, 0, 1]]


@pytest.mark.parametrize("run_eagerly", [False, True])
def test_a_measurement_leaves_everything_as_it_was(run_eagerly):
    layers = [
        keras.layers.Dense(4),
        keras.layers.BatchNormalization(),
        keras.layers.Dropout(0.5, seed=1),
        keras.layers.Dense(1),
    ]
    model = dense(*layers, metrics=["mae"], optimizer=Adam(), run_eagerly=run_eagerly)
    x = np.random.default_rng(0).normal(size=(8, 2)).astype(np.float32)
    model.fit(x, x[:, :1], verbose=0)
    before = state_of(model)
    latest = measured(model, compiled_model_gradients, (x, x[:, :1]))
    assert latest["model"]["update_underflow_percent"] is not None
    after = state_of(model)
    assert before.keys() == after.keys()
    assert len(before) > 10
    for path, value in before.items():
        np.testing.assert_array_equal(after[path], value, err_msg=path)


def test_training_is_the_same_with_and_without():
    def trained(callbacks):
        keras.utils.set_random_seed(0)
        model = dense(keras.layers.Dense(4), keras.layers.Dropout(0.5), keras.layers.Dense(1))
        history = model.fit(x, y, batch_size=2, epochs=2, verbose=0, callbacks=callbacks)
        return history.history["loss"], model.get_weights()

    x = np.random.default_rng(0).normal(size=(8, 2)).astype(np.float32)
    y = x[:, :1]
    losses, weights = trained([])
    callbacks = [GradientRange(compiled_model_gradients, (x, y), None, 2), LossScale(None, 1)]
    losses_measured, weights_measured = trained(callbacks)
    assert np.isfinite(losses).all()
    assert losses == losses_measured
    for a, b in zip(weights, weights_measured, strict=True):
        np.testing.assert_array_equal(a, b)


def test_state_is_put_back_even_if_the_gradients_fail():
    model = dense(keras.layers.BatchNormalization(), run_eagerly=True)

    def gradients(model, batch):
        model(batch, training=True)
        raise RuntimeError("no gradients")

    before = state_of(model)
    with pytest.raises(RuntimeError, match="no gradients"):
        measured(model, gradients, np.ones((4, 2), np.float32))
    for path, value in state_of(model).items():
        np.testing.assert_array_equal(value, before[path], err_msg=path)


def test_too_little_memory_ends_the_measuring_not_the_training():
    calls, reports = [], []

    def gradients(model, batch):
        calls.append(1)
        raise tf.errors.ResourceExhaustedError(None, None, "out of memory")

    gradient_range = GradientRange(
        gradients, np.ones(1, np.float32), None, interval=1, report=reports.append
    )
    model = Linear(1, SGD())
    model.run_eagerly = True
    fit_linear(model, gradient_range, 5)
    assert gradient_range.steps_done == 5
    assert len(calls) == 1
    assert len(reports) == 1
    assert reports[0].startswith("warning: step 1: the gradients' range is measured no more")
    assert gradient_range.latest == {}


def test_two_replicas():
    # Not by collectives, which two strategies in one process, of two tests, mix up.
    strategy = tf.distribute.MirroredStrategy(
        ["CPU:0", "CPU:1"], tf.distribute.ReductionToOneDevice()
    )
    layers = [keras.layers.BatchNormalization(), keras.layers.Dropout(0.5), keras.layers.Dense(1)]
    with strategy.scope():
        model = dense(*layers, optimizer=SGD(), jit_compile=False)
    x = np.random.default_rng(0).normal(size=(8, 2)).astype(np.float32)
    gradient_range = GradientRange(compiled_model_gradients, (x, x[:, :1]), None, interval=2)
    model.fit(x, x[:, :1], batch_size=4, verbose=0, callbacks=[gradient_range])
    before = [keras.ops.convert_to_tensor(v.value).numpy() for v in model.non_trainable_variables]
    gradient_range.measure()
    after = [keras.ops.convert_to_tensor(v.value).numpy() for v in model.non_trainable_variables]
    assert gradient_range.latest["model"]["underflow_percent_unscaled"] == 0
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(a, b)


def test_copies_measure_apart():
    original = GradientRange(linear_gradients, np.ones(1, np.float32), None)
    duplicate = copy.deepcopy(original)
    fit_linear(Linear(1, SGD()), duplicate, 2)
    assert set(duplicate.latest) == {"critic"}
    assert original.latest == {}
    assert original.steps_done == 0


@pytest.mark.parametrize(
    "optimizer, scale, rate",
    [
        (SGD(0.25), None, 0.25),
        (SGD(0.25, loss_scale_factor=64.0), 64.0, 0.25),
        (LossScaleOptimizer(SGD(0.25), initial_scale=8.0), 8.0, 0.25),
        (SGD(keras.optimizers.schedules.PiecewiseConstantDecay([5], [0.5, 0.25])), None, 0.5),
    ],
)
@pytest.mark.parametrize("built", [False, True])
def test_scale_and_learning_rate_of_an_optimizer(optimizer, scale, rate, built):
    if built:
        optimizer.build([keras.Variable([1.0])])
    assert loss_scale(optimizer) == scale
    assert learning_rate(optimizer) == rate


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["float32", "mixed_float16"])
def test_an_application_with_the_built_in_step(tmp_path, policy):
    keras.config.set_dtype_policy(policy)
    try:
        network = keras.applications.MobileNet((32, 32, 3), 0.25, weights=None, classes=4)
    finally:
        keras.config.set_dtype_policy("float32")
    network.compile("adam", "sparse_categorical_crossentropy")
    x = np.random.default_rng(0).random((4, 32, 32, 3), np.float32)
    y = np.int32([0, 1, 2, 3])
    board = Board(tmp_path)
    gradient_range = GradientRange(compiled_model_gradients, (x, y), board, interval=2)
    scale = LossScale(board, interval=2)
    network.fit(x, y, batch_size=2, epochs=2, verbose=0, callbacks=[gradient_range, scale])
    board.close()
    shares = gradient_range.latest["model"]
    assert 0 <= shares["underflow_percent_unscaled"] <= 100
    tags = EventAccumulator(str(tmp_path)).Reload().Tags()["tensors"]
    scaled = policy == "mixed_float16"
    assert "gradients/model_update_underflow_percent" in tags
    assert ("gradients/model_overflow_percent_scaled" in tags) == scaled
    assert ("loss_scale/model" in tags) == scaled
    assert (scale.record() is not None) == scaled
