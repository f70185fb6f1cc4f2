import json

import numpy as np
import pytest
from PIL import Image

from acgan.errors import UserError
from acgan.generate import as_grid, file_name, main
from acgan.networks import build_generator


@pytest.fixture
def run(tmp_path):
    """A trained run's folder with what `acgan.generate` needs."""
    folder = tmp_path / "run"
    folder.mkdir()
    build_generator("dcgan", (8, 8, 3), 3, 16, 8).save(folder / "generator.keras")
    resolved = {"class_names": ["red", "green", "sky blue"]}
    (folder / "run.json").write_text(json.dumps({"format": 1, "resolved": resolved}))
    return folder


def flags(run, out, **changes):
    return {"run": str(run), "out": str(out), "classes": [], "count": 5, "seed": 0, **changes}


def test_every_class_in_turn_as_files_and_as_a_grid(run, tmp_path):
    main(flags(run, tmp_path / "out"))
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [
        "green-1.png", "green-4.png", "grid.png", "red-0.png", "red-3.png", "sky_blue-2.png",
    ]  # fmt: skip
    with Image.open(tmp_path / "out" / "red-0.png") as image:
        assert (image.size, image.mode) == ((8, 8), "RGB")


def test_the_seed_decides_the_images(run, tmp_path):
    pictures = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        main(flags(run, tmp_path / name, seed=seed, classes=["sky blue"], count=1))
        pictures.append((tmp_path / name / "sky_blue-0.png").read_bytes())
    assert pictures[0] == pictures[1] != pictures[2]


def test_a_short_last_row_is_filled_with_paper():
    images = np.zeros((3, 64, 64, 1), np.uint8)
    grid = as_grid(images, ["a", "b"])
    assert (grid[-10, 10] == 0).all()  # the third image
    assert (grid[-10, -10] == 255).all()  # no fourth


def test_class_names_become_file_names():
    assert file_name("the Eiffel Tower/../x") == "the_Eiffel_Tower____x"


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"run": None}, ["--run"]),
        ({"out": None}, ["--out"]),
        ({"run": "/nowhere/at/all"}, ["/nowhere/at/all"]),
        ({"classes": ["blue"]}, ["blue", "sky blue"]),
        ({"classes": ["3"]}, ["3", "0..2"]),
        ({"classes": ["red", "0"]}, ["red", "twice"]),
    ],
    ids=str,
)
def test_what_is_wrong_is_named(run, tmp_path, changes, parts):
    with pytest.raises(UserError) as error:
        main({**flags(run, tmp_path / "out"), **changes})
    for part in parts:
        assert part in str(error.value)
    assert not (tmp_path / "out").exists()


def test_what_is_there_is_not_overwritten(run, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").touch()
    with pytest.raises(UserError, match="not an empty folder"):
        main(flags(run, tmp_path / "out"))


def test_a_broken_generator_is_named(run, tmp_path):
    path = run / "generator.keras"
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(UserError, match=r"generator\.keras can't be read.*generator-last"):
        main(flags(run, tmp_path / "out"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "[" * 100_000,
        '{"format": 99}',
        '{"format": 1, "resolved": 5}',
        '{"format": 1, "resolved": {"class_names": 5}}',
    ],
    ids=lambda content: content[:45],
)
def test_a_broken_record_is_named(run, tmp_path, content):
    (run / "run.json").write_text(content)
    with pytest.raises(UserError, match=r"run\.json"):
        main(flags(run, tmp_path / "out"))


def test_a_run_without_a_generator_says_so(run, tmp_path):
    (run / "generator.keras").unlink()
    with pytest.raises(UserError, match="no trained generator"):
        main(flags(run, tmp_path / "out"))
