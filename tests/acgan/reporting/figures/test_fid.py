import pytest

from acgan.reporting.figures.fid import best_curves, figure, spread_apart
from acgan.reporting.grouping import group
from acgan.reporting.quality import FidCurve
from acgan.result_reading import read_results

HISTORY = [(10.0, 100.0), (20.0, 40.0)]


@pytest.fixture
def judged(write_run, tmp_path):
    """The `Group` of some judged runs: `judged({"device": ..., ...}, ...)`."""

    def make(*runs):
        for number, changes in enumerate(runs):
            write_run(tmp_path / "judged" / str(number), **{"history": HISTORY, **changes})
        (alone,) = group(read_results([tmp_path / "judged"]).runs)
        return alone

    return make


def test_fid_against_seconds_and_against_their_price(judged, drawn):
    made = figure(judged({"usd_per_hour": 3.6}, {"policy": "mixed_float16", "usd_per_hour": 3.6}))
    assert [panel.title for panel in made.panels] == ["Tesla T4", "Tesla T4"]
    ((seconds,), (usd,)) = map(drawn, made.panels)
    assert seconds.get_xlabel() == "time of training, s"
    assert usd.get_xlabel() == "price of training, USD"
    assert seconds.get_ylabel() == usd.get_ylabel() == "FID"
    assert list(seconds.lines[0].get_xdata()) == [10, 20]
    assert list(seconds.lines[0].get_ydata()) == [100, 40]
    assert list(usd.lines[0].get_xdata()) == pytest.approx([10 * 0.001, 20 * 0.001])
    assert "float32 at batch size 64 ends at 40.0" in made.panels[0].description
    assert made.columns == 2


def test_without_a_price_the_time_stands_alone_with_a_line(judged):
    made = figure(judged({"device": "CPU"}))
    assert len(made.panels) == 1
    assert len(made.notes) == 1
    assert "--usd_per_hour" in made.notes[0]


def test_nothing_judged_says_how_to_get_it(only_group):
    made = figure(only_group({"float32": {64: [10.0]}}))
    assert made.panels == ()
    assert "--evaluate" in made.notes[0]


def test_the_fid_of_real_images_is_drawn_where_the_curves_come_near(judged, drawn):
    # the made-up floor is 0.5
    near = figure(judged({"history": [(10.0, 9.0), (20.0, 0.9)]}))
    (axes, *_), *_ = map(drawn, near.panels)
    assert [list(line.get_ydata()) for line in axes.lines] == [[9.0, 0.9], [0.5, 0.5]]
    assert "two sets of real images" in [handle.get_label() for handle in near.legend]


def test_it_is_not_drawn_far_below_the_curves(judged, drawn):
    far = figure(judged({"history": HISTORY}))
    (axes, *_), *_ = map(drawn, far.panels)
    assert len(axes.lines) == 1
    assert [handle.get_label() for handle in far.legend] == ["float32"]


def test_batch_sizes_stand_at_the_ends_where_they_differ(judged, drawn):
    both = figure(judged({"batch_size": 64}, {"batch_size": 128}))
    (axes,) = drawn(both.panels[0])
    assert sorted(text.get_text() for text in axes.texts) == ["128", "64"]


def test_an_fid_of_zero_can_be_drawn(judged, drawn):
    (axes,) = drawn(figure(judged({"history": [(0.0, 0.0)]})).panels[0])
    assert list(axes.lines[0].get_ydata()) == [0.001]


def test_of_many_batch_sizes_the_best_are_drawn():
    curves = [
        FidCurve(None, policy, size, {}, (((1.0, None, fid),),))
        for policy in ("float32", "mixed_float16")
        for size, fid in ((8, 5.0), (16, 3.0), (32, 9.0), (64, 4.0))
    ]
    drawn = [(curve.policy, curve.batch_size) for curve in best_curves(curves)]
    assert drawn == [(p, size) for p in ("float32", "mixed_float16") for size in (8, 16, 64)]


def test_labels_move_up_until_none_covers_another():
    assert spread_apart([10.0, 30.0, 11.0, 12.0], 5) == [10.0, 30.0, 15.0, 20.0]
    assert spread_apart([], 5) == []
