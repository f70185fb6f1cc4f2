import pytest

from acgan.errors import UserError
from acgan.leaking import growth


def test_growth_is_between_the_medians_of_the_first_and_the_last_quarter():
    # Before the first step nothing counts, nor does what lies between the quarters.
    samples = [
        (0, 1.0),
        (10, 100.0),
        (20, 104.0),
        (25, 102.0),
        (50, 999.0),
        (76, 110.0),
        (100, 120.0),
    ]
    assert growth(samples, steps=100) == (102.0, 115.0)


def test_too_short_a_training_says_so():
    with pytest.raises(UserError, match="1 looks"):
        growth([(10, 100.0)], steps=100)
