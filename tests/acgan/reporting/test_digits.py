import math

import pytest

from acgan.reporting.digits import number, short_number


@pytest.mark.parametrize(
    ("value", "long", "short"),
    [
        (0.034567, "0.0346", "0.0346"),
        (16.0, "16.0", "16"),
        (2.5, "2.50", "2.5"),
        (410.49, "410", "410"),
        (12800, "12,800", "12,800"),
        (-3.14159, "−3.14", "−3.14"),
        (0, "0", "0"),
        (math.inf, "inf", "inf"),
    ],
)
def test_three_digits_count(value, long, short):
    assert (number(value), short_number(value)) == (long, short)
