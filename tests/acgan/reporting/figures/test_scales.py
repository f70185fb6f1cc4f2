import pytest
from matplotlib.figure import Figure

from acgan.reporting.figures.scales import (
    Scale,
    batch_axis,
    labelled,
    scale_of,
    value_axis,
)


def axes():
    return Figure().add_subplot()


def ticks(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def test_close_values_start_at_zero():
    assert scale_of([30.0, 90.0], headroom=0.1) == Scale(0.0, 100.0, False)


def test_values_far_apart_have_a_logarithmic_scale_with_room_above():
    scale = scale_of([1.25, 100.0], headroom=0.5)
    assert scale.logarithmic
    assert scale.low == 1.25 / 1.25
    assert scale.high == pytest.approx(100 * 100)  # 100 is in the middle between 1 and 10,000


def test_one_damaged_value_does_not_break_an_axis():
    scale = scale_of([1e-300, 5.0])
    assert scale.low == pytest.approx(5e-12 / 1.25)


def test_a_value_axis_has_its_label_ends_and_plain_numbers():
    drawn = axes()
    value_axis(drawn.yaxis, Scale(0.0, 2000.0, False), "time, ms")
    assert drawn.get_ylabel() == "time, ms"
    assert drawn.get_ylim() == (0, 2000)
    assert ticks(drawn.yaxis) == ["0", "500", "1,000", "1,500", "2,000"]


def test_a_logarithmic_axis_has_few_round_ticks():
    drawn = axes()
    value_axis(drawn.yaxis, Scale(8.0, 1200.0, True), "time, ms")
    assert drawn.get_yscale() == "log"
    shown = [tick for tick in drawn.get_yticks() if 8 <= tick <= 1200]
    assert shown == pytest.approx([10, 20, 50, 100, 200, 500, 1000])


def test_the_batch_axis_has_the_measured_sizes():
    drawn = axes()
    batch_axis(drawn, [1024, 32, 128])
    assert list(drawn.get_xticks()) == [32, 128, 1024]
    assert ticks(drawn.xaxis) == ["32", "128", "1024"]
    assert drawn.get_xlabel() == "batch size, images"
    # Five octaves, and 6 % of them on either side: 0.3, but at least 0.35.
    assert drawn.get_xlim() == pytest.approx((2 ** (5 - 0.35), 2 ** (10 + 0.35)))


def test_upper_axes_have_ticks_without_words():
    drawn = axes()
    batch_axis(drawn, [32, 128], label=False)
    assert list(drawn.get_xticks()) == [32, 128]
    assert ticks(drawn.xaxis) == ["", ""]
    assert drawn.get_xlabel() == ""


def test_labels_that_would_collide_are_left_out_the_larger_sizes_stay():
    assert labelled([32, 128, 512, 1024, 2048]) == (32, 128, 512, 1024, 2048)
    assert labelled([1000, 1024, 4096]) == (1024, 4096)
    assert labelled([64]) == (64,)
    assert len(labelled([2**power for power in range(20)])) < 20
