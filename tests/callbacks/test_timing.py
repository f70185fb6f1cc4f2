import pytest

from callbacks.timing import StepTimes, mfu_percent, tflops_per_second


def test_rates_of_executions_of_one_and_of_several_steps():
    times = StepTimes()
    times.add(seconds=0.010, steps=1, images=8)
    times.add(seconds=0.080, steps=4, images=32)
    rates = times.rates()
    assert rates.mean_ms == pytest.approx((10 + 80) / 5) == times.mean_ms()
    assert rates.p50_ms == pytest.approx(20)  # of 10, 20, 20, 20, 20
    assert rates.p95_ms == pytest.approx(20)
    assert rates.images_per_second == pytest.approx((8 + 32) / 0.090)
    assert rates.batches_per_second == pytest.approx(5 / 0.090)
    assert rates.measured_steps == 5


def test_nothing_measured_is_none():
    assert StepTimes().rates() is None
    assert StepTimes().mean_ms() is None


def test_times_can_be_added_after_rates_were_read():
    times = StepTimes()
    times.add(0.010, 1, 1)
    kept = times.rates()
    times.add(0.030, 1, 1)
    assert (kept.mean_ms, times.mean_ms()) == (pytest.approx(10), pytest.approx(20))


def test_utilization_is_achieved_over_peak():
    # 2 TFLOP in 250 ms are 8 TFLOP/s; of a T4's 65 that are 12.3 %.
    achieved = tflops_per_second(2e12, 250)
    assert achieved == pytest.approx(2 / 0.250)
    assert mfu_percent(achieved, 65) == pytest.approx(100 * 8 / 65)


@pytest.mark.parametrize("unknown", [(None, 250), (2e12, None)])
def test_unknown_stays_unknown(unknown):
    assert tflops_per_second(*unknown) is None


def test_no_peak_gives_no_utilization():
    assert mfu_percent(8.0, None) is None
    assert mfu_percent(None, 65) is None
