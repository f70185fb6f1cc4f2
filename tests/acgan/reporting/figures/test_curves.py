import pytest
from matplotlib.figure import Figure

from acgan.reporting.figures.curves import (
    CROSS,
    DIAMOND,
    RING,
    batch_sizes,
    curve_legend,
    curve_scale,
    draw_curves,
    in_words,
)
from acgan.reporting.figures.style import look_of

TIMES = {
    "float32": {64: [10.0, 12.0, 14.0], 256: [40.0, 40.0, 40.0], 1024: [None]},
    "mixed_float16": {64: [11.0, 13.0, 15.0], 256: [20.0, 20.0, 20.0], 1024: [None]},
}


def draw(group, device=0, figure="step_ms"):
    axes = Figure().add_subplot()
    scale = curve_scale(group, figure)
    draw_curves(axes, group, group.devices[device], figure, scale, "time of a batch, ms")
    return axes


def lines_like(axes, mark):
    """Places of the lines with a mark, by the mark's colour."""
    return [
        (line.get_markeredgecolor(), list(line.get_xdata()), list(line.get_ydata()))
        for line in axes.lines
        if line.get_marker() == mark["marker"] and line.get_linestyle() == "None"
    ]


def curves(axes):
    return {
        line.get_color(): (list(line.get_xdata()), list(line.get_ydata()))
        for line in axes.lines
        if line.get_linestyle() != "None"
    }


def test_points_are_means_and_bars_reach_from_the_lowest_to_the_highest(only_group):
    axes = draw(only_group(TIMES))
    float32, mixed = look_of("float32").color, look_of("mixed_float16").color
    assert curves(axes) == {
        float32: ([64, 256], [(10 + 12 + 14) / 3, 40]),
        mixed: ([64, 256], [(11 + 13 + 15) / 3, 20]),
    }
    bars = [bar.get_segments() for bar in axes.collections]
    assert [tuple(map(tuple, segment)) for segment in bars[0]] == [
        ((64, 10), (64, 14)),
        ((256, 40), (256, 40)),
    ]
    assert axes.get_ylabel() == "time of a batch, ms"
    assert axes.get_xlabel() == "batch size, images"


def test_one_repeat_has_no_bar(only_group):
    assert not draw(only_group({"float32": {64: [10.0]}})).collections


def test_what_does_not_fit_is_marked_at_the_top_one_policy_below_the_other(only_group):
    axes = draw(only_group(TIMES))
    crosses = lines_like(axes, CROSS)
    assert [color for color, *_ in crosses] == [
        look_of("float32").color,
        look_of("mixed_float16").color,
    ]
    assert [xs for _, xs, _ in crosses] == [[1024], [1024]]
    assert [ys for *_, ys in crosses] == [[0.95], [pytest.approx(0.95 - 0.09)]]
    top = axes.lines[-1].axes.get_ylim()[1]
    assert 40 / top == pytest.approx(0.75)  # a quarter of the axis is left to them


def test_the_recommended_setting_has_a_ring(only_group):
    rings = lines_like(draw(only_group(TIMES)), RING)
    assert [(xs, ys) for _, xs, ys in rings] == [([256], [20])]


def test_published_values_are_diamonds_in_the_policys_colour(article_group):
    p100, t4 = (lines_like(draw(article_group, device), DIAMOND) for device in (0, 1))
    assert p100 == []
    assert t4 == [
        (look_of("float32").color, [2048, 2048], [700, 700]),
        (look_of("mixed_float16").color, [2048, 2048], [410, 410]),
    ]


def test_published_values_lie_within_the_scale(only_group):
    group = only_group({"float32": {2048: [70.0]}})
    assert curve_scale(group, "step_ms").high > 700


def test_published_values_of_sizes_that_were_not_measured_are_not_there(only_group):
    group = only_group({"float32": {1024: [70.0]}})
    assert lines_like(draw(group), DIAMOND) == []
    assert curve_scale(group, "step_ms").high < 100


def test_the_legend_names_all_that_is_drawn(only_group, article_group):
    def labels(group):
        return [handle.get_label() for handle in curve_legend(group, "step_ms")]

    assert labels(only_group(TIMES)) == [
        *("float32", "mixed_float16", "recommended", "does not fit"),
    ]
    assert labels(article_group) == ["float32", "mixed_float16", "recommended", "published"]


def test_sizes_without_a_measurement_are_not_on_the_axis(write_sweep, write_run, tmp_path):
    from acgan.reporting.grouping import group
    from acgan.result_reading import read_results

    sweep = write_sweep(tmp_path / "sweep", {"float32": {64: [10.0]}})
    write_run(sweep / "runs" / "going-on", batch_size=512, step_ms=None, status="running")
    ((device,),) = [one.devices for one in group(read_results([sweep]).runs)]
    assert batch_sizes(device) == [64]


def test_nothing_measured_has_no_scale(only_group):
    assert curve_scale(only_group({"float32": {64: [None]}}), "step_ms") is None


def test_the_curves_in_words_name_their_ends(only_group):
    (device,) = only_group(TIMES).devices
    assert in_words(device, "step_ms", "ms") == (
        "float32 12 ms at batch size 64, 40 ms at batch size 256; "
        "mixed_float16 13 ms at batch size 64, 20 ms at batch size 256"
    )
