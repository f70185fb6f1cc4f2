import pytest

from acgan.reporting.comparison import Change
from acgan.reporting.figures.step_time import change_limits, figure


def test_one_panel_a_device_with_the_time_above_and_the_change_below(article_group, drawn):
    made = figure(article_group)
    titles = ["Tesla P100-PCIE-16GB", "Tesla T4", "Tesla V100-SXM2-16GB"]
    assert [panel.title for panel in made.panels] == titles
    upper, lower = drawn(made.panels[1])
    assert upper.get_ylabel() == "time of a batch, ms"
    assert lower.get_ylabel() == "change, %"
    assert lower.get_xlabel() == "batch size, images"
    assert "float32 16 ms at batch size 32, 700 ms at batch size 2048" in made.panels[1].description
    *_, changes = lower.lines
    assert list(changes.get_xdata()) == [32, 128, 512, 1024, 2048]
    assert changes.get_ydata()[-1] == pytest.approx(100 * (410 - 700) / 700, abs=0.2)
    assert "confidence interval" in made.caption


def test_all_panels_share_their_scales(article_group, drawn):
    axes = [drawn(panel) for panel in figure(article_group).panels]
    assert len({upper.get_ylim() for upper, _ in axes}) == 1
    assert len({lower.get_ylim() for _, lower in axes}) == 1


def test_one_policy_alone_has_no_change(only_group, drawn):
    made = figure(only_group({"float32": {64: [10.0], 128: [20.0]}}))
    (axes,) = drawn(made.panels[0])
    assert axes.get_xlabel() == "batch size, images"
    assert "change" not in made.caption


def test_a_group_without_a_time_says_so(only_group):
    made = figure(only_group({"float32": {64: [None]}}))
    assert made.panels == ()
    assert "20 steps" in made.notes[0]


def change(percent, low=None, high=None):
    return Change(percent, low, high, 1 if low is None else 3, True)


def test_limits_hold_the_intervals_and_zero():
    low, high = change_limits([change(-20.0, -30.0, -10.0), change(-5.0)])
    margin = 0.12 * (30 + 5)
    assert (low, high) == pytest.approx((-30 - margin, 5 + margin))


def test_wild_intervals_do_not_flatten_the_rest():
    low, high = change_limits([change(20.0, -60.0, 4000.0)])
    assert (low, high) == pytest.approx((-60 - 0.12 * 160, 100 + 0.12 * 160))


def test_nothing_compared_has_no_limits():
    assert change_limits([]) is None
