import pytest

from acgan.errors import UserError
from acgan.pricing import find_pricing

T4 = {"gpu_name": "Tesla T4", "gpu_count": 1}
CPU = {"gpu_name": None, "gpu_count": None}


def test_the_price_of_the_detected_gpu(make_settings):
    pricing = find_pricing(make_settings(provider="gcp"), T4)
    assert pricing.price.usd_per_hour == 0.35
    assert "gcp" in pricing.price.source
    assert pricing.reason is None


def test_all_gpus_are_paid_for(make_settings):
    two = find_pricing(make_settings(provider="gcp"), {**T4, "gpu_count": 2})
    assert two.price.usd_per_hour == 2 * 0.35


def test_a_price_that_is_given_counts(make_settings):
    assert find_pricing(make_settings(usd_per_hour=1.5), T4).price.usd_per_hour == 1.5
    assert find_pricing(make_settings(usd_per_hour=1.5), CPU).price.usd_per_hour == 1.5


def test_each_machine_costs_what_was_given(make_settings):
    assert find_pricing(make_settings(usd_per_hour=1.5), CPU, 3).price.usd_per_hour == 3 * 1.5


@pytest.mark.parametrize(
    "hardware", [CPU, {"gpu_name": "NVIDIA Imaginary 9", "gpu_count": 1}], ids=["CPU", "unknown"]
)
def test_an_unknown_price_comes_with_the_way_to_give_one(make_settings, hardware):
    pricing = find_pricing(make_settings(), hardware)
    assert pricing.price is None
    assert "--usd_per_hour" in pricing.reason


def test_a_limit_needs_a_price(make_settings):
    with pytest.raises(UserError, match=r"--max_usd=5.* --usd_per_hour"):
        find_pricing(make_settings(max_usd=5.0), CPU)
