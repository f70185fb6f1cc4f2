import numpy as np
import pytest
import tensorflow as tf

from callbacks.gradient_statistics import (
    FLUSHED_UP_TO,
    OVERFLOWS_FROM,
    GradientTally,
    biased_exponents,
    is_swallowed,
)

SCALE = 2.0**15
NOT_TIED = 1 + 2.0**-20  # a little more


def tally(gradient, weights=None, scale=SCALE, learning_rate=1.0):
    """A tally of gradients given without their scale."""
    gradient = np.array(gradient, np.float32)
    result = GradientTally(scale, learning_rate)
    weights = np.zeros_like(gradient) if weights is None else np.array(weights, np.float32)
    result.add(gradient * np.float32(scale or 1), weights)
    return result


def shares(*args, **kwargs):
    return tally(*args, **kwargs).percents()


def test_a_value_that_the_scale_rescues():
    # 2^-26 flushes to zero; 2^-26 * 2^15 = 2^-11 does not.
    percents = shares([2.0**-26, 0.5, -0.25, 1e-3])
    assert percents["underflow_percent_unscaled"] == 100 * 1 / (1 + 3)
    assert percents["underflow_percent_scaled"] == 0.0
    assert percents["overflow_percent_scaled"] == 0.0


def test_values_that_no_scale_rescues():
    # 2^-41 * 2^15 = 2^-26 is lost in both cases, 4 * 2^15 = 131072 overflows.
    percents = shares([2.0**-41, -(2.0**-30), 4.0, -1.0, 1.0])
    assert percents["underflow_percent_unscaled"] == 100 * 2 / (2 + 3)
    assert percents["underflow_percent_scaled"] == 100 * 1 / (2 + 3)
    assert percents["overflow_percent_scaled"] == 100 * 1 / (2 + 3)


def test_zeros_do_not_count():
    percents = shares([0.0, 0.0, 0.0, 2.0**-26, 1e-3])
    assert percents["underflow_percent_unscaled"] == 100 * 1 / 2


@pytest.mark.parametrize("value", [0.0, FLUSHED_UP_TO, 2.0**-24, 1e-6])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("more", [1, NOT_TIED])
def test_what_flushes_is_what_numpy_rounds_to_zero(value, sign, more):
    value = np.float32(sign * value * more)
    flushed = shares([value, 1.0], scale=None)["underflow_percent_unscaled"]
    expected = value != 0 and np.float16(value) == 0
    assert flushed == (100 * 1 / 2 if expected else 0)


def test_half_the_smallest_number_flushes_and_a_little_more_does_not():
    assert np.float16(2.0**-25) == 0
    assert np.float16(2.0**-25 * NOT_TIED) == 2.0**-24
    values = [2.0**-25, 2.0**-25 * NOT_TIED]
    assert shares(values)["underflow_percent_unscaled"] == 100 * 1 / 2


@pytest.mark.parametrize("value", [65504.0, np.nextafter(np.float32(65520), 0), 65520.0, 65536.0])
@pytest.mark.parametrize("sign", [1, -1])
def test_what_overflows_is_what_numpy_rounds_to_infinity(value, sign):
    scaled = np.float32(sign * value)
    with np.errstate(over="ignore"):
        overflows = np.isinf(np.float16(scaled))
    assert overflows == (value >= OVERFLOWS_FROM)
    percent = shares([scaled / SCALE, 1e-3])["overflow_percent_scaled"]
    assert percent == (100 * 1 / 2 if overflows else 0)


def test_values_that_have_overflowed_count_as_overflow_and_in_nothing_else():
    result = tally([np.inf, -np.inf, np.nan, 1e-3], weights=np.full(4, 1e-3))
    assert result.percents() == {
        "underflow_percent_unscaled": 0.0,
        "underflow_percent_scaled": 0.0,
        "overflow_percent_scaled": 100 * 3 / 4,
        "update_underflow_percent": 0.0,
    }
    assert result.log2_buckets().tolist() == [[-10, -9, 1]]  # 2^-10 < 1e-3 < 2^-9


def test_without_a_loss_scale_there_is_no_scaled_share():
    percents = shares([2.0**-26, 1e6], scale=None)
    assert percents["underflow_percent_unscaled"] == 100 * 1 / 2
    assert percents["underflow_percent_scaled"] is None
    assert percents["overflow_percent_scaled"] is None


def test_a_scale_that_is_no_power_of_two():
    # 2^-25 flushes, 1000 * 2^-25 does not; 70 * 1000 overflows, 60 * 1000 does not.
    percents = shares([2.0**-25, 60.0, 70.0, 1.0], scale=1000.0)
    assert percents["underflow_percent_unscaled"] == 100 * 1 / 4
    assert percents["underflow_percent_scaled"] == 0
    assert percents["overflow_percent_scaled"] == 100 * 1 / 4


@pytest.mark.parametrize("gradient", [[], [0.0, 0.0]])
def test_nothing_but_zeros_is_not_measured(gradient):
    result = tally(gradient)
    assert set(result.percents().values()) == {None}
    assert result.log2_buckets() is None
    assert tally([np.inf]).percents()["update_underflow_percent"] is None


def test_several_gradients_add_up():
    result = GradientTally(SCALE, learning_rate=1.0)
    result.add(np.float32([[2.0**-26 * SCALE, 0.5 * SCALE]]), np.zeros((1, 2), np.float32))
    result.add(np.float32([0.5 * SCALE]), np.zeros(1, np.float32))
    assert result.percents()["underflow_percent_unscaled"] == pytest.approx(100 * 1 / (2 + 1))
    assert result.log2_buckets()[[0, -1]].tolist() == [[-26, -25, 1], [-1, 0, 1 + 1]]


def test_an_update_beside_a_weight():
    # Beside 1, float16 numbers are 2^-10 apart above and 2^-11 below: 1 - u stays 1 up to half of
    # the lower gap, 2^-12, where the tie goes to the even 1.
    updates = np.float32([2.0**-12, 2.0**-12 * 1.001, -(2.0**-11), -(2.0**-11) * 1.001])
    weights = np.ones(4, np.float32)
    assert is_swallowed(updates, weights).numpy().tolist() == [True, False, True, False]
    # Learning rate 2^-4 makes updates of these gradients.
    percents = shares(updates * 2**4, weights=weights, learning_rate=2.0**-4)
    assert percents["update_underflow_percent"] == 100 * 2 / 4


def test_an_update_of_a_zero_weight_is_lost_only_if_it_flushes_itself():
    weights = np.zeros(2, np.float32)
    assert is_swallowed(np.float32([2.0**-25, 2.0**-24]), weights).numpy().tolist() == [True, False]


def test_updates_swallowed_are_those_that_numpy_swallows():
    random = np.random.default_rng(0)
    weights = random.normal(size=20000).astype(np.float32)
    updates = (random.normal(size=20000) * 2.0 ** random.integers(-30, 0, 20000)).astype(np.float32)
    with np.errstate(under="ignore"):
        halves = weights.astype(np.float16)
        expected = halves - updates.astype(np.float16) == halves
    np.testing.assert_array_equal(is_swallowed(updates, weights), expected)


def test_exponents_are_exact_at_powers_of_two():
    below = np.nextafter(np.float32(8), np.float32(0))
    values = np.float32([1, -1, 8, below, 2.0**-126, 2.0**-24, 0])
    expected = [0 + 127, 0 + 127, 3 + 127, 2 + 127, -126 + 127, -24 + 127, 0]
    assert biased_exponents(values).numpy().tolist() == expected


def test_the_histogram_is_of_the_gradients_without_scale():
    # log2: -3, -3 + something, -1, and none between.
    buckets = tally([0.125, -0.2, 0.0, 0.5]).log2_buckets()
    assert buckets.dtype == np.float64
    assert buckets.tolist() == [[-3, -2, 2], [-2, -1, 0], [-1, 0, 1]]


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_gradients_of_another_dtype_are_taken_as_they_are(dtype):
    result = GradientTally(None, 1.0)
    result.add(tf.constant([2.0**-24, 1.0], dtype), tf.zeros(2))
    assert result.log2_buckets()[[0, -1]].tolist() == [[-24, -23, 1], [0, 1, 1]]
    assert result.percents()["underflow_percent_unscaled"] == 0
