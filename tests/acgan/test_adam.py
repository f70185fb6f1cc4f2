import keras
import numpy as np
import pytest
import tensorflow as tf

from acgan.adam import FusedAdam


def test_two_updates_by_hand():
    variable = keras.Variable([1.0, -2.0])
    optimizer = FusedAdam(0.1, beta_1=0.5, beta_2=0.75, epsilon=1e-3)
    optimizer.build([variable])
    optimizer.apply([tf.constant([2.0, -4.0])])
    # m = 0.5 g, v = 0.25 g^2; alpha = 0.1 sqrt(1 - 0.75) / (1 - 0.5) = 0.1.
    first = [1.0 - 0.1 * 1.0 / (1.0 + 1e-3), -2.0 + 0.1 * 2.0 / (2.0 + 1e-3)]
    assert variable.numpy() == pytest.approx(first)
    optimizer.apply([tf.constant([0.0, 0.0])])
    # m halves, v shrinks by 0.75; alpha = 0.1 sqrt(1 - 0.5625) / (1 - 0.25).
    alpha = 0.1 * 0.4375**0.5 / 0.75
    second = [
        first[0] - alpha * 0.5 / (0.75**0.5 * 1.0 + 1e-3),
        first[1] + alpha * 1.0 / (0.75**0.5 * 2.0 + 1e-3),
    ]
    assert variable.numpy() == pytest.approx(second)


def trained(optimizer, gradients, jit_compile=False):
    variables = [keras.Variable(np.linspace(-1, 1, 6).reshape(2, 3)), keras.Variable([0.5])]
    optimizer.build(variables)

    @tf.function(jit_compile=jit_compile)
    def step(gradients):
        optimizer.apply(gradients, variables)

    for gradient in gradients:
        step([tf.constant(gradient), tf.constant(gradient[0, :1])])
    return [v.numpy() for v in [*variables, *optimizer.variables]]


@pytest.mark.parametrize("jit_compile", [False, True])
def test_weights_and_variables_are_those_of_keras_adam(jit_compile):
    random = np.random.default_rng(0)
    gradients = random.normal(0, 3, (5, 2, 3)).astype(np.float32)
    schedule = keras.optimizers.schedules.ExponentialDecay(0.01, 2, 0.5)
    betas = {"beta_1": 0.5, "beta_2": 1 - 2.0**-10}  # 1 - beta_2 is exact in float32
    ours = trained(FusedAdam(schedule, **betas), gradients, jit_compile)
    theirs = trained(keras.optimizers.Adam(schedule, **betas), gradients)
    for own, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(own, other, rtol=2e-6)


def test_rows_that_come_twice_are_added_up_before_they_are_squared():
    variable = keras.Variable([[1.0], [1.0], [1.0]])
    optimizer = FusedAdam(0.1, beta_1=0.0, beta_2=0.75)
    optimizer.build([variable])
    twice = tf.IndexedSlices(tf.constant([[1.0], [3.0], [2.0]]), tf.constant([0, 0, 2]), [3, 1])
    optimizer.apply([twice])
    velocity = optimizer.variables[-1].numpy()
    assert velocity[:, 0] == pytest.approx([0.25 * (1.0 + 3.0) ** 2, 0.0, 0.25 * 2.0**2])


def test_it_is_saved_and_loaded_with_its_arguments():
    config = keras.saving.serialize_keras_object(FusedAdam(3e-4, beta_1=0.5))
    loaded = keras.saving.deserialize_keras_object(config)
    assert type(loaded) is FusedAdam
    assert (float(loaded.learning_rate), loaded.beta_1) == (pytest.approx(3e-4), 0.5)


def test_amsgrad_is_refused():
    with pytest.raises(ValueError, match="amsgrad=True"):
        FusedAdam(amsgrad=True)
