import pytest

from acgan.reporting.figures.tensor_cores import figure, points_of


def test_share_against_speed_up_beside_the_batch_size(article_group, drawn):
    made = figure(article_group)
    titles = ["Tesla P100-PCIE-16GB", "Tesla T4", "Tesla V100-SXM2-16GB"]
    assert [panel.title for panel in made.panels] == titles
    *_, last = points_of(article_group.devices[1])
    assert last == ("mixed_float16", 2048, 50.0, pytest.approx(700 / 410, abs=0.01))
    (axes,) = drawn(made.panels[1])
    assert axes.get_xlabel() == "kernel time on Tensor Cores, %"
    assert axes.get_ylabel() == "speed-up against float32, times"
    assert [text.get_text() for text in axes.texts] == ["32", "128", "512", "1024", "2048"]
    assert "1.71 times as fast" in made.panels[1].description


def test_not_measured_says_how_to_get_it(only_group):
    times = {"float32": {64: [10.0]}, "mixed_float16": {64: [8.0]}}
    made = figure(only_group(times))
    assert made.panels == ()
    assert "--profile" in made.notes[0]
