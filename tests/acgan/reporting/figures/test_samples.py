import numpy as np
import pytest

from acgan.reporting.figures.samples import HOW_TO_GET, figure
from acgan.reporting.grouping import group
from acgan.result_reading import read_results
from callbacks.pictures import class_columns, save_png

CLASSES = [f"class {number}" for number in range(12)]


@pytest.fixture
def equal_time(write_run, tmp_path):
    """The `Group` of runs of seven minutes: `equal_time((policy, batch size, FID), ...)`."""

    def make(*runs, pictures=True):
        for number, (policy, batch_size, fid) in enumerate(runs):
            names = {"resolved.class_names": CLASSES, "resolved.image_shape": [8, 8, 1]}
            folder = write_run(
                tmp_path / "equal" / str(number),
                policy=policy,
                batch_size=batch_size,
                minutes=7.0,
                history=[(420.0, fid)],
                **names,
            )
            if pictures:
                (folder / "samples").mkdir()
                images = np.full((8, 12, 8, 8, 1), 10 * number, np.uint8)
                save_png(class_columns(images, CLASSES), folder / "samples" / "step-000010.png")
        (alone,) = group(read_results([tmp_path / "equal"]).runs)
        return alone

    return make


def test_policies_stand_side_by_side_with_their_figures(equal_time, drawn):
    made = figure(equal_time(("float32", 64, 90.0), ("mixed_float16", 64, 30.0)))
    assert [panel.title for panel in made.panels] == [
        "float32: Tesla T4, batch size 64, 7 minutes",
        "mixed_float16: Tesla T4, batch size 64, 7 minutes",
    ]
    assert made.columns == 2
    assert made.notes == ()
    (axes,) = drawn(made.panels[1])
    words, *names = (text.get_text() for text in axes.texts)
    assert words == "class accuracy 10 %\nFID 30.0"
    assert names == CLASSES[:10]
    (picture,) = axes.get_images()
    # five rows and ten columns of 8 x 8 images, 2 pixels between them
    assert picture.get_array().shape == (5 * 8 + 4 * 2, 10 * 8 + 9 * 2, 3)
    assert (picture.get_array()[0, 0] == 10).all()
    assert (picture.get_array()[8, 0] == 255).all()


def test_repeats_show_their_spread(equal_time):
    made = figure(
        equal_time(("float32", 64, 90.0), ("mixed_float16", 64, 30.0), ("mixed_float16", 64, 20.0))
    )
    assert made.panels[1].description == (
        "generated images by class, class accuracy 10 %, FID 25.0 (20.0 to 30.0)"
    )


def test_of_many_batch_sizes_the_one_with_the_lowest_fid_is_shown(equal_time):
    runs = [(policy, size, fid) for size, fid in ((64, 30.0), (128, 20.0), (256, 40.0))
            for policy in ("float32", "mixed_float16")]  # fmt: skip
    made = figure(equal_time(*runs))
    assert [panel.title.split(", ")[1] for panel in made.panels] == ["batch size 128"] * 2
    assert len(made.notes) == 1
    assert "2 more" in made.notes[0]


def test_figures_stand_without_pictures(equal_time, drawn):
    runs = ("float32", 64, 90.0), ("mixed_float16", 64, 30.0)
    (axes,) = drawn(figure(equal_time(*runs, pictures=False)).panels[0])
    assert [text.get_text() for text in axes.texts] == [
        "class accuracy 10 %\nFID 90.0",
        "no samples are in the run's folder",
    ]


def test_one_policy_alone_is_no_comparison(equal_time):
    made = figure(equal_time(("float32", 64, 90.0)))
    assert made.panels == ()
    assert made.notes == (HOW_TO_GET,)
    assert "--batch_sizes=1024 --minutes=7 --dataset=quickdraw" in HOW_TO_GET
