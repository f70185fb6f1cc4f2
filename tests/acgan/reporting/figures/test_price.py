import pytest

from acgan.reporting.figures.price import figure
from acgan.reporting.grouping import group
from acgan.result_reading import read_results


def test_a_million_batches_above_and_a_million_images_below(only_group, drawn):
    made = figure(only_group({"float32": {64: [36.0]}}, usd_per_hour=0.5))
    batches, images = drawn(made.panels[0])
    # 36 ms a batch are 36,000 s and so 10 hours for a million of them
    assert list(batches.lines[0].get_ydata()) == pytest.approx([10 * 0.5])
    assert list(images.lines[0].get_ydata()) == pytest.approx([10 * 0.5 / 64])
    assert batches.get_ylabel() == "a million batches, USD"
    assert images.get_ylabel() == "a million images, USD"
    assert made.notes == ()


def test_the_published_prices_are_there(article_group, drawn):
    made = figure(article_group)
    batches, images = drawn(made.panels[1])
    diamonds = [line for line in batches.lines if line.get_marker() == "D"]
    assert [line.get_ydata()[0] for line in diamonds] == [178, 118]
    assert [line for line in images.lines if line.get_marker() == "D"] == []
    assert "published" in [handle.get_label() for handle in made.legend]


def test_without_a_price_one_line_says_how_to_give_one(only_group):
    made = figure(only_group({"float32": {64: [36.0]}}, device="CPU"))
    assert made.panels == ()
    assert len(made.notes) == 1
    assert "--usd_per_hour" in made.notes[0]


def test_devices_with_a_price_stand_beside_the_note_on_those_without(write_run, tmp_path):
    write_run(tmp_path / "runs" / "gpu", device="T4")
    write_run(tmp_path / "runs" / "cpu", device="CPU")
    (both,) = group(read_results([tmp_path / "runs"]).runs)
    made = figure(both)
    assert [panel.title for panel in made.panels] == ["Tesla T4"]
    assert len(made.notes) == 1
    assert made.notes[0].startswith("AMD EPYC 9124 16-Core Processor (8 CPUs): no price is known")
