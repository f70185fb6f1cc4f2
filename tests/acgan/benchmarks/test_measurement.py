from acgan.benchmarks.measurement import Measurement, measurement
from acgan.benchmarks.pairs import ratio


def test_a_measurement_holds_the_median_and_the_quartiles():
    found = measurement(8, "start-up", ratio([3.0, 1.0, 5.0, 2.0, 4.0]), "s")
    assert found == Measurement(8, "start-up", ratio=3.0, low=2.0, high=4.0, unit="s")
