import keras
import numpy as np
import pytest
import tensorflow as tf
from keras.optimizers import Adam

from acgan.finiteness import ScaleReading, not_finite, reader
from acgan.precision import LossScaleOptimizer


class Pair:
    """Two networks of one weight each, and their optimizers."""

    def __init__(self, make_optimizer):
        for name in ("generator", "discriminator"):
            layers = [keras.Input((1,)), keras.layers.Dense(1, use_bias=False, name="dense")]
            network, optimizer = keras.Sequential(layers, name=name), make_optimizer()
            optimizer.build(network.trainable_variables)
            setattr(self, name, network)
            setattr(self, f"{name}_optimizer", optimizer)

    def update(self, gradient):
        variables = self.generator.trainable_variables
        self.generator_optimizer.apply([tf.fill(v.shape, gradient) for v in variables], variables)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_seen_and_named(value):
    pair = Pair(Adam)
    read = reader(pair, {})
    assert read() == (True, {})
    assert not_finite(pair) == []
    (weight,) = pair.discriminator.weights
    weight.assign([[value]])
    assert read() == (False, {})
    assert not_finite(pair) == ["discriminator/dense/kernel"]
    weight.assign([[1.0]])
    assert read() == (True, {})


def test_the_largest_float_is_finite():
    pair = Pair(Adam)
    pair.generator.weights[0].assign([[np.finfo(np.float32).max]])
    assert reader(pair, {})() == (True, {})


def test_weights_are_named_before_slots():
    pair = Pair(Adam)
    pair.update(np.nan)
    weight, *slots = not_finite(pair)
    assert weight == "generator/dense/kernel"
    assert len(slots) == 2  # Adam's two moments
    assert all(name.startswith("generator_optimizer/") for name in slots)


def test_scales_are_read_by_name():
    pair = Pair(lambda: LossScaleOptimizer(Adam(), 8.0, minimum_scale=4.0))
    read = reader(pair, {"first": pair.generator_optimizer, "second": pair.discriminator_optimizer})
    for gradient in (1.0, 1.0, np.inf, 1.0):
        pair.update(gradient)
    is_finite, readings = read()
    assert is_finite
    assert readings == {
        "first": ScaleReading(scale=8 / 2, lowest=4, updates=4 - 1, in_a_row=1),
        "second": ScaleReading(scale=8, lowest=4, updates=0, in_a_row=0),
    }
    assert readings["first"].is_at_lowest
    assert not readings["first"].is_after_skip
    pair.update(np.inf)
    assert read()[1]["first"].is_after_skip


def test_an_optimizer_without_a_lowest_scale_has_none_of_use_below_1():
    pair = Pair(lambda: keras.optimizers.LossScaleOptimizer(Adam(), 1.0))
    read = reader(pair, {"first": pair.generator_optimizer})
    assert read()[1]["first"].lowest == 1
    pair.update(np.inf)
    assert read()[1]["first"].scale == 1 / 2
    assert read()[1]["first"].is_at_lowest
