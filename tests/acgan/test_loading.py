import numpy as np
import pytest

from acgan.errors import UserError
from acgan.loading import load_dataset


@pytest.fixture
def few_images(tmp_path):
    """Writes some 8x8 images of two classes; returns the file's path."""

    def write(count):
        path = tmp_path / "few.npz"
        labels = np.arange(count) % 2
        np.savez(path, x=np.zeros((count, 8, 8), np.uint8), y=labels, class_names=["a", "b"])
        return str(path)

    return write


def test_the_images_are_those_of_the_settings(make_settings, few_images):
    path = few_images(12)
    dataset = load_dataset(make_settings(dataset=path, batch_size=6, channels="3"))
    assert dataset.images.shape == (12, 8, 8, 3)
    assert dataset.class_names == ("a", "b")
    chosen = load_dataset(make_settings(dataset=path, batch_size=6, classes=["b", "a"]))
    assert chosen.class_names == ("b", "a")
    assert chosen.labels[:4].tolist() == [1, 0, 1, 0]


def test_a_batch_may_be_all_images(make_settings, few_images):
    assert len(load_dataset(make_settings(dataset=few_images(12), batch_size=12))) == 12


@pytest.mark.parametrize("flag", ["batch_size", "batch_sizes"])
def test_a_larger_batch_is_refused_by_the_flag_that_it_came_with(make_settings, few_images, flag):
    path = few_images(12)
    with pytest.raises(UserError) as refusal:
        load_dataset(make_settings(dataset=path, batch_size=13), flag)
    assert str(refusal.value) == (
        f"--{flag}=13 is more than the 12 images of --dataset={path}: choose 12 or less"
    )


def test_fewer_than_four_images_cant_be_judged(make_settings, few_images):
    path = few_images(3)
    with pytest.raises(UserError, match=f"--dataset={path} has 3 images, .*or --noevaluate"):
        load_dataset(make_settings(dataset=path, batch_size=2))
    unjudged = make_settings(dataset=path, batch_size=2, evaluate=False)
    assert len(load_dataset(unjudged)) == 3
    assert len(load_dataset(make_settings(dataset=few_images(4), batch_size=2))) == 4


def test_a_data_set_that_cant_be_loaded_is_named(make_settings):
    with pytest.raises(UserError, match=r"'mnist5' is .*did you mean mnist5k"):
        load_dataset(make_settings(dataset="mnist5"))
