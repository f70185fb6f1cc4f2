import pytest

from acgan.benchmarks.pairs import Ratio
from acgan.growth_table import Point, exponent, table


def spread(median):
    return Ratio(median, median - 1, median + 1, 3)


def test_the_exponent_is_that_of_a_power_of_the_size():
    assert exponent(3.0, 6.0, 64, 128) == pytest.approx(1.0)  # twice the work, twice the cost
    assert exponent(3.0, 12.0, 64, 128) == pytest.approx(2.0)  # 4 = 2^2
    assert exponent(5.0, 5.0, 1000, 20_000) == 0.0
    assert exponent(8.0, 4.0, 32, 64) == pytest.approx(-1.0)
    assert exponent(2.0, 54.0, 10, 30) == pytest.approx(3.0)  # 27 = 3^3


def test_a_cost_that_hardly_falls_has_no_negative_zero():
    points = [Point("memory", 1, spread(906.0), "MB"), Point("memory", 10, spread(905.0), "MB")]
    assert table(points).splitlines()[-1].endswith(" 0.00")


def test_there_is_no_exponent_of_what_is_not_known():
    assert exponent(None, 6.0, 64, 128) is None
    assert exponent(6.0, None, 64, 128) is None


def test_the_table_shows_growth_within_a_series_in_the_order_given():
    points = [
        # 8 ms for 32 images are 8 / 32 * 1000 = 250 for a thousand.
        Point("step, batch size", 32, spread(8.0), "ms", images=32, flops=1e9),
        # Four times the time at twice the size: 2; 16 / 64 * 1000 would be linear.
        Point("step, batch size", 64, spread(32.0), "ms", images=64, flops=2e9),
        Point("peak memory, images", 5000, spread(900.0), "MB", note="the data: 3.9 MB"),
        Point("peak memory, images", 100_000, spread(900.0), "MB", note="the data: 78.8 MB"),
    ]
    assert table(points).splitlines() == [
        "what                    size  median     low    high  unit  ms/1000 images  exponent"
        "  by FLOPs",
        "step, batch size          32   8.000   7.000   9.000  ms               250",
        "step, batch size          64  32.000  31.000  33.000  ms               500      2.00"
        "      1.00",
        "peak memory, images    5,000     900     899     901  MB                            "
        "            the data: 3.9 MB",
        "peak memory, images  100,000     900     899     901  MB                        0.00"
        "            the data: 78.8 MB",
    ]


def test_what_was_not_measured_is_a_dash_with_its_reason_and_has_no_exponent_after_it():
    points = [
        Point("step, width", 32, spread(8.0), "ms", images=64),
        Point("step, width", 64, None, "ms", images=64, note="does not fit"),
        Point("step, width", 128, spread(9.0), "ms", images=64),
    ]
    _, _, left_out, after = table(points).splitlines()
    assert left_out.split() == [
        "step,",
        "width",
        "64",
        "-",
        "-",
        "-",
        "ms",
        *["does", "not", "fit"],
    ]
    assert after.split()[2:] == ["128", "9.000", "8.000", "10.000", "ms", "141"]  # 9 / 64 * 1000
