import pytest

from acgan.reporting.figures.images_time import figure


def test_it_is_the_time_of_a_batch_for_1000_images(only_group, drawn):
    made = figure(only_group({"float32": {64: [16.0], 256: [32.0]}}))
    (axes,) = drawn(made.panels[0])
    assert list(axes.lines[0].get_ydata()) == pytest.approx([16 * 1000 / 64, 32 * 1000 / 256])
    assert axes.get_ylabel() == "time for 1000 images, ms"
    assert axes.get_ylim()[0] == 0
    assert made.panels[0].description.endswith(
        "float32 250 ms at batch size 64, 125 ms at batch size 256"
    )


def test_a_group_without_a_time_says_so(only_group):
    assert figure(only_group({"float32": {64: [None]}})).panels == ()
