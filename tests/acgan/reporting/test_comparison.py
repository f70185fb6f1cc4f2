import dataclasses
import math

import pytest

from acgan.reporting.comparison import Change, compare
from acgan.reporting.grouping import Cell


@pytest.fixture
def cell(make_result):
    """A cell with these times; those of a sweep with a letter for it: `cell(a=[1.0], b=[2.0])`."""

    def make(*outside, policy="float32", batch_size=64, **sweeps):
        setting = {"policy": policy, "batch_size": batch_size}
        results = [make_result(sweep=None, step_ms=ms, **setting) for ms in outside]
        for sweep, times in sweeps.items():
            results += [
                dataclasses.replace(make_result(sweep=sweep, step_ms=ms, **setting), repeat=number)
                for number, ms in enumerate(times, 1)
            ]
        return Cell(policy, batch_size, tuple(results))

    return make


def test_a_change_is_the_geometric_mean_of_the_pairs_ratios(cell):
    change = compare(cell(a=[100.0, 200.0]), cell(a=[50.0, 400.0]))
    assert change.percent == pytest.approx(0)  # a half and the double
    change = compare(cell(a=[100.0, 100.0, 100.0]), cell(a=[64.0, 80.0, 100.0]))
    assert change.percent == pytest.approx(80 - 100)  # 0.64 x 0.80 x 1.00 is 0.8 cubed
    assert change.pairs == 3


def test_the_interval_is_students(cell):
    change = compare(cell(a=[100.0, 100.0, 100.0]), cell(a=[64.0, 80.0, 100.0]))
    # The logarithms differ by log(0.8) each, so their deviation is that; over the root of 3 and
    # times 4.3027, Student's quantile at 97.5 % for 2 degrees of freedom.
    margin = 4.3027 * -math.log(0.8) / math.sqrt(3)
    assert change.low == pytest.approx(100 * (0.8 * math.exp(-margin) - 1), abs=0.01)
    assert change.high == pytest.approx(100 * (0.8 * math.exp(margin) - 1), abs=0.01)
    assert change.verdict == "no difference"


def test_repeats_that_agree_give_a_narrow_interval(cell):
    change = compare(cell(a=[700.0, 702.0, 698.0]), cell(a=[410.0, 408.0, 412.0]))
    assert change.percent == pytest.approx(100 * (410 / 700 - 1), abs=0.1)
    assert change.low < change.percent < change.high < -40
    assert change.verdict == "less"
    assert change.one_sitting
    assert change.words() == "41 % less time (40 to 43 %)"


def test_a_drift_of_the_machine_that_falls_on_both_does_not_widen_it(cell):
    change = compare(cell(a=[100.0, 150.0, 300.0]), cell(a=[90.0, 135.0, 270.0]))
    assert (change.low, change.high) == (pytest.approx(-10), pytest.approx(-10))


def test_one_pair_has_no_interval(cell):
    change = compare(cell(a=[100.0]), cell(a=[88.0]))
    assert (change.low, change.high, change.pairs) == (None, None, 1)
    assert change.verdict == "unknown"
    assert change.words() == "12 % less time (measured once: the spread is unknown)"


def test_runs_are_paired_within_their_sweep(cell):
    change = compare(cell(a=[100.0], b=[1000.0]), cell(b=[500.0], a=[50.0]))
    assert (change.low, change.high) == (pytest.approx(-50), pytest.approx(-50))
    assert change.one_sitting


def test_what_has_no_partner_in_its_sweep_is_left_out(cell):
    change = compare(cell(1.0, a=[100.0, 100.0], c=[7.0]), cell(a=[50.0], b=[3.0]))
    assert (change.percent, change.pairs) == (pytest.approx(-50), 1)
    assert change.one_sitting


def test_runs_of_no_sweep_in_common_are_paired_and_said_so(cell):
    for reference in (cell(100.0, 100.0), cell(a=[100.0, 100.0])):
        change = compare(reference, cell(50.0, 50.0))
        assert (change.percent, change.pairs) == (pytest.approx(-50), 2)
        assert not change.one_sitting


def test_any_figure_can_be_compared_but_batch_sizes_do_not_take_turns(cell):
    change = compare(
        cell(a=[100.0], batch_size=100), cell(a=[150.0], batch_size=200), "ms_per_1000_images"
    )
    assert change.percent == pytest.approx(100 * (150 / 200 - 1))
    assert not change.one_sitting


def test_repeats_are_paired_by_their_number_whatever_was_done_when(cell):
    reference, reduced = cell(a=[100.0, 200.0, 400.0]), cell(a=[50.0, 100.0, 200.0])
    done_again = Cell("mixed_float16", 64, reduced.results[1:] + reduced.results[:1])
    change = compare(reference, done_again)
    assert (change.low, change.high) == (pytest.approx(-50), pytest.approx(-50))


def test_what_was_not_measured_can_not_be_compared(cell):
    assert compare(cell(a=[100.0]), cell(a=[None])) is None
    assert compare(cell(a=[None]), cell(a=[100.0])) is None
    assert compare(cell(a=[100.0]), cell(a=[90.0]), "fid") is None


def test_interrupted_runs_count_and_failed_ones_do_not(make_result):
    reference = Cell("float32", 64, (make_result(step_ms=100.0),))
    fast = [
        make_result(step_ms=ms, status=s) for ms, s in ((10.0, "failed"), (80.0, "interrupted"))
    ]
    change = compare(reference, Cell("mixed_float16", 64, tuple(fast)))
    assert (change.percent, change.pairs) == (pytest.approx(-20), 1)


def test_ratios_of_any_size_have_a_percentage(cell):
    change = compare(cell(a=[1e-200, 1e200]), cell(a=[1e200, 1e-200]))
    assert change.verdict == "no difference"
    assert math.isfinite(change.high)


@pytest.mark.parametrize(
    ("change", "verdict", "words"),
    [
        (Change(-41.4, -43.2, -39.4, 3, True), "less", "41 % less time (39 to 43 %)"),
        (Change(5.0, 3.9, 6.1, 3, True), "more", "5 % more time (4 to 6 %)"),
        (Change(0.4, -3.1, 4.0, 3, True), "no difference", "no difference (−3 to +4 %)"),
        (Change(-0.4, -0.6, -0.2, 3, True), "less", "0.4 % less time (0.2 to 0.6 %)"),
        (Change(-36.0, -36.4, -35.6, 3, True), "less", "36 % less time (35.6 to 36.4 %)"),
        (Change(0.0, 0.0, 0.0, 3, True), "no difference", "no difference (0 to 0 %)"),
        (
            Change(0.0, None, None, 1, True),
            "unknown",
            "no difference (measured once: the spread is unknown)",
        ),
        (
            Change(3.0, None, None, 1, True),
            "unknown",
            "3 % more time (measured once: the spread is unknown)",
        ),
    ],
)
def test_words(change, verdict, words):
    assert change.verdict == verdict
    assert change.words() == words
