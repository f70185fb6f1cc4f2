import pytest

from callbacks.cost_arithmetic import (
    Estimate,
    estimate,
    usd_per_1000_images,
    usd_per_million_batches,
    usd_spent,
    watt_hours,
    wh_per_1000_images,
)


def test_the_case_of_the_article():
    # T4, batch 2048: 700 ms a batch at 0.92 USD an hour. 700,000 s are 194.44 hours.
    usd = usd_per_million_batches(0.92, 700)
    assert usd == pytest.approx(0.92 * 0.700 * 1e6 / 3600)
    assert usd == pytest.approx(178.9, abs=0.05)


def test_money_follows_from_seconds():
    assert usd_spent(3.6, 100) == pytest.approx(0.1)
    assert usd_spent(3.6, 0) == 0


def test_a_thousand_images_take_the_time_of_their_share_of_steps():
    # 50 images in 200 ms: 1000 images in 20 steps, 4 s, at 0.001 USD a second.
    assert usd_per_1000_images(3.6, 200, 50) == pytest.approx(20 * 0.200 * 0.001)


def test_energy():
    assert watt_hours(7200) == 2
    # 36,000 J are 10 Wh; 500 images took them, so 1000 take twice that.
    assert wh_per_1000_images(36_000, 500) == pytest.approx(2 * 10)


@pytest.mark.parametrize(
    "unknown",
    [
        usd_spent(None, 10),
        usd_spent(1, None),
        usd_per_million_batches(None, 10),
        usd_per_million_batches(1, None),
        usd_per_1000_images(None, 10, 5),
        usd_per_1000_images(1, None, 5),
        watt_hours(None),
        wh_per_1000_images(None, 10),
        wh_per_1000_images(10, 0),
    ],
)
def test_what_is_unknown_stays_unknown(unknown):
    assert unknown is None


def test_an_estimate_by_steps():
    # 60 s of setup and 5400 steps of 0.1 s, at 0.001 USD a second.
    result = estimate(100, 60, usd_per_hour=3.6, steps=5400)
    assert result.steps == 5400
    assert result.hours == pytest.approx((60 + 540) / 3600)
    assert result.usd == pytest.approx((60 + 540) * 0.001)


def test_an_estimate_by_minutes():
    # 3 minutes of training hold 180 / 0.25 steps.
    result = estimate(250, 20, usd_per_hour=3.6, minutes=3)
    assert result.steps == 720
    assert result.hours == pytest.approx((20 + 180) / 3600)
    assert result.usd == pytest.approx((20 + 180) * 0.001)


@pytest.mark.parametrize(("steps", "expected"), [(100, 100), (5000, 600)])
def test_of_steps_and_minutes_the_first_ends_the_run(steps, expected):
    assert estimate(100, 0, steps=steps, minutes=1).steps == expected  # a minute holds 600


def test_an_estimate_without_a_price_has_time_only():
    assert estimate(1000, 0, steps=3600) == Estimate(steps=3600, hours=1.0, usd=None)


def test_an_estimate_of_what_was_not_asked_for():
    with pytest.raises(ValueError, match="steps or minutes"):
        estimate(100, 60)
    with pytest.raises(ValueError, match="step_ms must be positive, not 0"):
        estimate(0, 60, steps=1)
