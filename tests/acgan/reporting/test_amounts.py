import math

import pytest

from acgan.reporting.amounts import (
    number,
    percent_text,
    short_number,
    signed_digits,
    usd_digits,
)


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


@pytest.mark.parametrize(
    ("percent", "text"),
    [
        (41.42, "41 %"),
        (41.6, "42 %"),
        (1.0, "1 %"),
        (0.97, "1 %"),
        (0.94, "0.9 %"),
        (0.06, "0.1 %"),
        (0.04, "under 0.1 %"),
        (0.0, "0 %"),
        (910.4, "910 %"),
        (1e9, "over 1000 %"),
    ],
)
def test_percentages_have_no_digits_that_were_not_measured(percent, text):
    assert percent_text(percent) == text


@pytest.mark.parametrize(
    ("percent", "text"),
    [(-3.2, "−3"), (3.6, "+4"), (-0.5, "−0.5"), (0.04, "0"), (-0.04, "0"), (0.0, "0")],
)
def test_a_sign_is_shown_unless_it_is_nothing(percent, text):
    assert signed_digits(percent) == text


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (178.0, "178.00"),
        (1.005, "1.00"),
        (0.5, "0.500"),
        (0.0292, "0.0292"),
        (0.000123456, "0.000123"),
        (0.0, "0.00"),
    ],
)
def test_usd_have_cents_or_three_digits(usd, text):
    assert usd_digits(usd) == text
