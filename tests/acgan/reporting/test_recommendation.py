import pytest

from acgan.reporting.grouping import group
from acgan.reporting.recommendation import break_even, misfits, recommend
from acgan.result_reading import read_results

STEADY = (0.99, 1.0, 1.01)  # three repeats


def times(*step_ms):
    """Three repeats a batch size from 32 on, each double the one before."""
    return {32 * 2**i: [ms * factor for factor in STEADY] for i, ms in enumerate(step_ms)}


@pytest.fixture
def article(three_devices):
    (alone,) = group(read_results([three_devices]).runs)
    return {device.results[0].folder.parts[-3]: device for device in alone.devices}


def test_the_t4_of_the_article(article):
    found = recommend(article["T4"])
    assert (found.policy, found.batch_size) == ("mixed_float16", 2048)
    assert found.best_float32.batch_size == 2048
    for change in (found.against_same_batch, found.against_best_float32):
        assert change.percent == pytest.approx(100 * (410 / 700 - 1), abs=0.05)
        assert change.verdict == "less"
    # At 0.526 USD/h a million images cost 410 s / 2.048 of it, and in float32 700 s / 2.048.
    usd_per_million = 0.526 / 3600 * 1000 / 2.048
    assert found.usd_per_million_images.mean == pytest.approx(0.410 * usd_per_million, rel=1e-3)
    saved = found.saved_at_same_batch
    assert saved.usd == pytest.approx((0.700 - 0.410) * usd_per_million, rel=2e-3)
    assert saved.low < saved.usd < saved.high
    assert saved == found.saved_against_best_float32


def test_a_gpu_without_tensor_cores_trains_in_float32(article):
    found = recommend(article["P100"])
    assert (found.policy, found.batch_size) == ("float32", 2048)
    assert found.cell is found.best_float32
    assert found.against_same_batch is found.against_best_float32 is None
    assert found.saved_at_same_batch is found.saved_against_best_float32 is None
    assert found.usd_per_million_images.count == 3


def test_the_cheapest_float32_setting_may_have_another_batch_size(only_device):
    found = recommend(only_device({"float32": times(10, 30), "mixed_float16": times(10, 16)}))
    assert (found.policy, found.batch_size) == ("mixed_float16", 64)
    assert found.best_float32.batch_size == 32
    assert found.against_same_batch.percent == pytest.approx(100 * (16 / 30 - 1))
    assert found.against_best_float32.percent == pytest.approx(100 * (16 / 64 / (10 / 32) - 1))


def test_wild_repeats_do_not_make_a_gain(only_device):
    wild = {64: [40.0, 180.0, 70.0]}  # a mean of 97 against 100
    found = recommend(only_device({"float32": {64: [100.0, 101.0, 99.0]}, "mixed_float16": wild}))
    assert (found.policy, found.batch_size) == ("float32", 64)


def test_a_gain_over_the_same_batch_alone_is_not_enough(only_device):
    # In mixed_float16 a step of 64 takes half of float32's, but no less an image than at 32.
    device = only_device({"float32": times(10, 40), "mixed_float16": {64: [19.0, 21.0, 19.5]}})
    found = recommend(device)
    assert (found.policy, found.batch_size) == ("float32", 32)


def test_a_proven_gain_is_taken_where_the_fastest_is_unproven(only_device):
    # The mean of 9.7 at 64 is less an image than the 5 at 32, but one of its repeats took 25.
    mixed = times(5) | {64: [2.0, 25.0, 2.0]}
    found = recommend(only_device({"float32": times(10, 20), "mixed_float16": mixed}))
    assert (found.policy, found.batch_size) == ("mixed_float16", 32)


def test_measured_once_the_fastest_is_recommended_without_an_interval(only_device):
    found = recommend(only_device({"float32": {64: [100.0]}, "mixed_float16": {64: [88.0]}}))
    assert found.policy == "mixed_float16"
    assert found.against_same_batch.verdict == "unknown"
    assert found.saved_at_same_batch.usd == pytest.approx(0.12 * 0.526 / 3600 * 100 / 64 * 1000)
    assert found.saved_at_same_batch.low is found.saved_at_same_batch.high is None


def test_measured_once_and_slower_is_not_recommended(only_device):
    found = recommend(only_device({"float32": {64: [88.0]}, "mixed_float16": {64: [100.0]}}))
    assert found.policy == "float32"


def test_a_batch_that_fits_in_one_policy_alone_is_compared_with_the_best_float32(only_device):
    device = only_device({"float32": times(10) | {64: [None]}, "mixed_float16": times(9, 12)})
    found = recommend(device)
    assert (found.policy, found.batch_size) == ("mixed_float16", 64)
    assert found.against_same_batch is None
    assert found.against_best_float32.percent == pytest.approx(100 * (12 / 64 / (10 / 32) - 1))


def test_a_batch_that_fitted_once_and_once_not_is_not_recommended(only_device):
    found = recommend(only_device({"float32": {32: [10.0, 10.0], 64: [11.0, None]}}))
    assert found.batch_size == 32


@pytest.mark.parametrize("policy", ["float32", "mixed_float16"])
def test_of_only_one_policy_the_fastest_setting_is_recommended(only_device, policy):
    found = recommend(only_device({policy: times(10, 15, 40)}))
    assert (found.policy, found.batch_size) == (policy, 64)
    assert found.against_same_batch is found.against_best_float32 is None


def test_without_a_price_there_are_percentages_alone(only_device):
    device = only_device(
        {"float32": times(10), "mixed_bfloat16": times(8)}, device="CPU", usd_per_hour=None
    )
    found = recommend(device)
    assert found.policy == "mixed_bfloat16"
    assert found.against_same_batch.percent == pytest.approx(-20)
    assert found.usd_per_million_images is found.saved_at_same_batch is None


def test_where_nothing_was_measured_nothing_is_recommended(only_device):
    assert recommend(only_device({"float32": {64: [None]}, "mixed_float16": {64: [None]}})) is None


def test_the_break_even_of_the_article(article):
    found = break_even(article["T4"], "mixed_float16")
    assert (found.batch_size, found.below, found.reason) == (128, 32, None)
    assert [size for size, _ in found.changes] == [32, 128, 512, 1024, 2048]
    assert dict(found.changes)[32].verdict == "more"
    found = break_even(article["V100"], "mixed_float16")
    assert (found.batch_size, found.below) == (512, 128)
    assert dict(found.changes)[128].verdict == "no difference"


def test_no_break_even_has_a_reason(article):
    found = break_even(article["P100"], "mixed_float16")
    assert (found.batch_size, found.below) == (None, None)
    assert found.reason == "no Tensor Cores (compute capability 6.0)"


def test_a_policy_that_pays_everywhere_has_no_size_below(only_device):
    found = break_even(
        only_device({"float32": times(10, 20), "mixed_float16": times(9, 15)}), "mixed_float16"
    )
    assert (found.batch_size, found.below) == (32, None)


def test_a_gain_that_is_lost_again_is_no_break_even(only_device):
    device = only_device({"float32": times(10, 20, 40), "mixed_float16": times(10, 15, 44)})
    found = break_even(device, "mixed_float16")
    assert (found.batch_size, found.below) == (None, None)
    assert [change.verdict for _, change in found.changes] == ["no difference", "less", "more"]


def test_only_sizes_in_both_count(only_device):
    device = only_device({"float32": times(10, 20), "mixed_float16": times(9)})
    assert [size for size, _ in break_even(device, "mixed_float16").changes] == [32]
    assert break_even(device, "mixed_bfloat16") is None


def test_what_does_not_fit_by_policy(only_device):
    device = only_device(
        {
            "mixed_float16": {32: [9.0], 64: [10.0], 128: [None]},
            "float32": {32: [None], 64: [None]},
            "mixed_bfloat16": {32: [9.0]},
        }
    )
    assert [(m.policy, m.smallest_not_fitting, m.largest_fitting) for m in misfits(device)] == [
        ("float32", 32, None),
        ("mixed_float16", 128, 64),
    ]
