import pytest

from acgan.reporting.tables.fid import fid_table


@pytest.fixture
def judged(only_group):
    """Two repeats of float32 at 3.6 USD/h that reach FID 40 after 20 s."""
    history = [(10.0, 100.0), (20.0, 40.0)]
    return only_group({"float32": {64: [10.0, 10.0]}}, history=history, usd_per_hour=3.6)


def test_the_price_of_an_fid(judged):
    table = fid_table(judged, 100.0)
    assert table.rows == (("Tesla T4", "float32", "64", "100", "10.0", "0.0100", "2 of 2"),)


def test_without_a_target_it_is_one_that_was_reached(judged):
    assert fid_table(judged).rows[0][3:5] == ("40.0", "20.0")


def test_an_fid_out_of_reach_has_no_price(judged):
    assert fid_table(judged, 1.0).rows[0][4:] == ("–", "–", "0 of 2")


def test_runs_that_were_not_judged_have_no_table(only_group):
    assert fid_table(only_group({"float32": {64: [10.0]}})) is None
