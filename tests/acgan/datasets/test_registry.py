import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from acgan import datasets
from acgan.datasets import keras_datasets, quickdraw
from acgan.errors import UserError

ROOT = Path(__file__).parents[3]


@pytest.fixture
def npz(tmp_path):
    path = tmp_path / "mine.npz"
    np.savez(path, x=np.zeros((4, 8, 8), np.uint8), y=[0, 1, 2, 2], class_names=["a", "b", "c"])
    return path


def test_the_names():
    assert datasets.NAMES == ("mnist5k", "quickdraw", "cifar10", "fashion_mnist")


def test_by_name_with_classes_and_channels():
    dataset = datasets.load("mnist5k", classes=("7", "3"), channels=3)
    assert dataset.images.shape == (1000, 28, 28, 3)
    assert dataset.class_names == ("7", "3")


def test_no_classes_are_all_classes(npz):
    assert datasets.load(npz, classes=()).classes == 3


def test_by_path_of_a_file(npz):
    dataset = datasets.load(str(npz), classes=["c", 0])
    assert dataset.labels.tolist() == [1, 0, 0] and dataset.class_names == ("c", "a")


def test_by_path_of_a_folder(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        Image.new("L", (9, 9)).save(tmp_path / name / "1.png")
    assert datasets.load(tmp_path, image_size=16).images.shape == (2, 16, 16, 1)
    assert datasets.load(tmp_path, image_size=16, channels=3).image_shape == (16, 16, 3)


def test_by_path_of_a_folder_of_arrays(tmp_path):
    np.save(tmp_path / "images.npy", np.zeros((4, 8, 8), np.uint8))
    np.save(tmp_path / "labels.npy", [0, 1, 2, 2])
    dataset = datasets.load(tmp_path, classes=["2", "0"], channels=3)
    assert dataset.images.shape == (3, 8, 8, 3)
    assert dataset.labels.tolist() == [1, 0, 0]


def test_one_array_is_not_enough(tmp_path):
    np.save(tmp_path / "images.npy", np.zeros((4, 8, 8), np.uint8))
    with pytest.raises(
        UserError, match=r"images\.npy is one array: put images\.npy and labels\.npy"
    ):
        datasets.load(tmp_path / "images.npy")


def test_quickdraw_gets_what_it_needs(monkeypatch, tmp_path):
    calls = []
    monkeypatch.setattr(quickdraw, "load", lambda *a, **k: calls.append((a, k)))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    datasets.load("quickdraw", classes=["cat", "dog"], images_per_class=5, report=print)
    datasets.load("quickdraw", cache_dir="elsewhere", report=print)
    assert calls == [
        ((["cat", "dog"], 5, tmp_path / "acgan"), {"report": print}),
        ((None, 10_000, Path("elsewhere")), {"report": print}),
    ]


@pytest.mark.parametrize("name", ["cifar10", "fashion_mnist"])
def test_keras_datasets_by_name(monkeypatch, name):
    monkeypatch.setattr(keras_datasets, "load", lambda wanted: f"loaded {wanted}")
    assert datasets.load(name) == f"loaded {name}"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mnist5", r"dataset='mnist5' .*did you mean mnist5k\?.*choose mnist5k, quickdraw, cifar"),
        ("fashion-mnist", r"did you mean fashion_mnist\?"),
        ("no/such/folder", "nor a path that exists: choose mnist5k, .* or give an .npz file"),
        ("", "dataset='' is neither"),
        ("two\nlines", "dataset='two"),
        (__file__, "is a file, but no .npz"),
    ],
)
def test_unknown_names(name, message):
    with pytest.raises(UserError, match=message) as caught:
        datasets.load(name)
    assert "\n" not in str(caught.value)


def test_channels_are_checked_first():
    with pytest.raises(UserError, match="channels=2 is neither 1"):
        datasets.load("no such thing", channels=2)


def test_classes_are_checked_everywhere(npz):
    with pytest.raises(UserError, match=r"mine\.npz has no class 'd'"):
        datasets.load(npz, classes=["d", "a"])


@pytest.mark.parametrize("home", [None, "cache"])
def test_default_cache_dir(monkeypatch, tmp_path, home):
    monkeypatch.setenv("HOME", str(tmp_path))
    if home:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / home))
    else:
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert datasets.default_cache_dir() == tmp_path / (home or ".cache") / "acgan"


def test_importing_stays_cheap():
    code = (
        "import sys, acgan.datasets; "
        "print({'tensorflow', 'keras', 'mlxtend', 'PIL', 'scipy', 'pandas'} & set(sys.modules))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert answer.stdout == "set()\n"
