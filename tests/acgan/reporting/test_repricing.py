import pytest

from acgan.errors import UserError
from acgan.reporting.repricing import repriced
from callbacks.prices import find_price, read_prices


def test_without_a_price_runs_stay_as_they_are(make_result):
    runs = (make_result(), make_result(device="CPU"))
    assert repriced(runs) == runs


def test_a_given_price_takes_the_place_of_what_was_noted(make_result):
    (run,) = repriced([make_result(device="CPU", **{"seconds.total": 1800.0})], 0.5)
    assert run.usd_per_hour == 0.5
    assert run.price_source == "given: 0.5 USD/h"
    assert run.price_reason is None
    assert run.usd_total == 0.5 * 1800 / 3600


def test_one_price_is_not_for_several_devices(make_result):
    runs = [make_result(device="T4"), make_result(device="V100"), make_result(device="T4")]
    with pytest.raises(UserError, match=r"--usd_per_hour=0.5 is one price, but .* 2 devices"):
        repriced(runs, 0.5)


def test_another_provider_s_price_is_looked_up_for_each_device(make_result):
    runs = [make_result(device="T4", usd_per_hour=9.0), make_result(device="V100")]
    t4, v100 = repriced(runs, provider="gcp")
    offers = read_prices()
    assert t4.usd_per_hour == find_price(offers, "Tesla T4", provider="gcp").usd_per_hour
    assert v100.usd_per_hour != t4.usd_per_hour
    assert "gcp" in t4.price_source


def test_machines_of_several_gpus_cost_several_times_as_much(make_result):
    runs = [make_result(device="T4", **{"hardware.gpu_count": count}) for count in (1, 3)]
    one, three = repriced(runs, provider="gcp")
    assert three.device == "3 x Tesla T4"
    assert three.usd_per_hour == pytest.approx(3 * one.usd_per_hour)


def test_a_price_that_is_not_known_is_none_with_the_reason(make_result):
    (run,) = repriced([make_result(device="P100")], spot=True)
    assert run.usd_per_hour is None
    assert run.usd_per_million_images is None
    assert "spot" in run.price_reason
