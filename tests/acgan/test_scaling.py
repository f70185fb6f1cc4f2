"""`scripts/soak --scale` from flags to table, with scripted measures."""

from collections import namedtuple

import pytest

from acgan import made_up_images, scaling, soak
from acgan.benchmarks.pairs import Ratio
from acgan.errors import UserError
from acgan.growth_table import Point


def values(out, **changes):
    return {"out": str(out), "seed": 0, "kills": 1, "leak": False, "scale": True, **changes}


def test_the_series_are_measured_in_turn_and_shown_in_one_table(tmp_path, monkeypatch, capsys):
    def series(name, *seconds):
        def measure(folder):
            assert folder == tmp_path / "new" and folder.is_dir()
            return [
                Point(name, 2**i, Ratio(each, each, each, 3), "s") for i, each in enumerate(seconds)
            ]

        return (f"measuring {name}", measure)

    monkeypatch.setattr(scaling, "SERIES", (series("b", 1.0, 2.0), series("a", 3.0)))
    assert soak.main(values(tmp_path / "new")) == 0
    printed = capsys.readouterr()
    said = [line.split(" s  ", 1)[1] for line in printed.err.splitlines()]
    assert said == ["measuring b", "measuring a", "done"]
    header, *lines = printed.out.splitlines()
    assert header.startswith("what  size  median")
    assert [line.split() for line in lines] == [
        ["b", "1", "1.000", "1.000", "1.000", "s"],
        ["b", "2", "2.000", "2.000", "2.000", "s", "1.00"],
        ["a", "1", "3.000", "3.000", "3.000", "s"],
    ]


def test_what_was_measured_is_shown_though_the_rest_fails(tmp_path, monkeypatch, capsys):
    def fail(folder):
        raise UserError("a training process ended")

    point = Point("a", 1, Ratio(3.0, 2.0, 4.0, 3), "s")
    monkeypatch.setattr(scaling, "SERIES", (("a", lambda folder: [point]), ("b", fail)))
    with pytest.raises(UserError, match="ended"):
        soak.main(values(tmp_path / "new"))
    assert capsys.readouterr().out.splitlines()[1].split() == [
        "a",
        "1",
        "3.000",
        "2.000",
        "4.000",
        "s",
    ]


def test_everything_is_measured():
    assert [title for title, _ in scaling.SERIES] == [
        "steps by batch size",
        "steps by width",
        "steps by size of the images",
        "starts by number of images",
        "images on disk against images in memory",
    ]


def test_a_leak_is_another_measurement(tmp_path):
    with pytest.raises(UserError, match="--leak and --scale are two measurements: give one"):
        soak.main(values(tmp_path / "new", leak=True))
    assert not any(tmp_path.iterdir())


def test_a_full_disk_is_said_before_anything_is_measured(tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")(10e9, 9e9, 1e6)
    monkeypatch.setattr(made_up_images.shutil, "disk_usage", lambda folder: usage)
    monkeypatch.setattr(scaling, "SERIES", ())
    # 5,000 + 100,000 + 1,000,000 images of 784 bytes with labels of 4 are 870.74 MB.
    with pytest.raises(UserError, match=r"--out=.*/new: 871 MB are needed .* 1 MB are free"):
        soak.main(values(tmp_path / "new"))
