import dataclasses

import pytest

from acgan.results import NOT_RUN


def test_rates_and_prices_follow_from_the_steps_time(make_result):
    result = make_result(batch_size=200, step_ms=50.0, usd_per_hour=7.2)
    assert result.images_per_second == 200 / 0.050
    assert result.ms_per_1000_images == 50 * 5
    # A million batches take 50,000 s at 0.002 USD/s, a million images a 200th of that.
    assert result.usd_per_million_batches == pytest.approx(50_000 * 0.002)
    assert result.usd_per_million_images == pytest.approx(50_000 / 200 * 0.002)


def test_the_articles_prices_follow_from_its_times(make_result):
    result = make_result(batch_size=2048, step_ms=700.0, usd_per_hour=0.526)
    assert result.usd_per_million_batches == pytest.approx(0.526 * 700_000 / 3600)


def test_without_a_step_time_nothing_follows(make_result):
    result = make_result(step_ms=None, usd_per_hour=7.2)
    assert result.images_per_second is result.ms_per_1000_images is None
    assert result.usd_per_million_images is result.usd_per_million_batches is None


def test_without_a_price_there_are_times_alone(make_result):
    result = make_result(usd_per_hour=None)
    assert result.ms_per_1000_images is not None
    assert result.usd_per_million_images is result.usd_per_million_batches is None


def test_a_run_fits_unless_it_ran_out_of_memory_or_was_left_out(make_result):
    assert make_result().fits
    assert make_result(status="failed", message="a full disk").fits
    assert not make_result(status="failed", failure="out_of_memory").fits
    assert not dataclasses.replace(make_result(), status=NOT_RUN).fits
