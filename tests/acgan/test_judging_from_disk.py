"""The judge and the evaluation of a data set that stays on disk."""

import os
from types import SimpleNamespace

import keras
import numpy as np
import pytest

from acgan import datasets
from acgan import judge as judging
from acgan.datasets import ImageDataset
from acgan.datasets.stored_images import StoredImages
from acgan.evaluation import Evaluation
from acgan.judge import Judge, build_classifier, load_judge, train_classifier
from callbacks.board import Board


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Twenty steps are enough to tell bright above from bright below."""
    monkeypatch.setattr(judging, "TRAIN_STEPS", 20)


@pytest.fixture(scope="module")
def in_memory(stripes):
    return ImageDataset("stripes", *stripes, ("0", "1"))


@pytest.fixture(scope="module")
def trained(in_memory, tmp_path_factory):
    """The judge of images in memory, and the cache that holds it."""
    cache_dir = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judging, "TRAIN_STEPS", 20)
        judge = load_judge(in_memory, cache_dir)
    return SimpleNamespace(cache_dir=cache_dir, judge=judge)


@pytest.fixture
def folder(tmp_path, in_memory):
    """A folder with `images.npy` and `labels.npy`."""
    return write(tmp_path / "stripes", in_memory.images, in_memory.labels)


@pytest.fixture
def on_disk(folder):
    dataset = datasets.load(folder)
    assert isinstance(dataset.images, StoredImages)
    return dataset


def write(folder, images, labels):
    folder.mkdir()
    np.save(folder / "images.npy", images)
    np.save(folder / "labels.npy", labels)
    return folder


def assert_same(judge, other):
    """Two judges have the same weights, figures and labels."""
    weights, others = (each.classifier.get_weights() for each in (judge, other))
    assert len(weights) == len(others) > 0
    assert all(map(np.array_equal, weights, others))
    assert (judge.fid_floor, judge.test_accuracy) == (other.fid_floor, other.test_accuracy)
    assert np.array_equal(judge.labels, other.labels)


def test_the_judge_is_that_of_the_same_images_in_memory(on_disk, trained, tmp_path):
    messages = []
    judge = load_judge(on_disk, tmp_path / "cache", messages.append)
    assert len(messages) == 1  # that it is trained
    assert_same(judge, trained.judge)
    assert judge.test_accuracy == 1


def test_a_judge_of_images_in_memory_serves_the_same_on_disk(on_disk, trained):
    messages = []
    assert_same(load_judge(on_disk, trained.cache_dir, messages.append), trained.judge)
    assert messages == []


def test_a_selection_in_other_channels_is_judged_as_in_memory(in_memory, tmp_path):
    images = in_memory.images
    labels = np.where(np.arange(40) < 6, 2, in_memory.labels).astype(np.int32)  # 2: left out
    colour = np.concatenate([images, images // 2, 255 - images], axis=-1)
    memory = ImageDataset("stripes", colour, labels, ("0", "1", "2"))
    stored = datasets.load(write(tmp_path / "stripes", colour, labels))
    grey = [each.with_channels(1).with_classes(["1", "0"]) for each in (stored, memory)]
    assert isinstance(grey[0].images, StoredImages)
    assert [each.images.shape for each in grey] == [(40 - 6, 8, 8, 1)] * 2
    assert grey[0].content_hash() == grey[1].content_hash()  # and so one judge is kept
    classifier = build_classifier((8, 8, 1), 2)
    assert_same(*(Judge(classifier, each.images, each.labels) for each in grey))


def test_images_are_read_a_batch_at_a_time(on_disk, monkeypatch):
    read, whole = [], StoredImages.__getitem__

    def noting(images, rows):
        found = whole(images, rows)
        read.append(len(found))
        return found

    monkeypatch.setattr(StoredImages, "__getitem__", noting)
    monkeypatch.setattr(judging, "TRAIN_BATCH", 7)
    monkeypatch.setattr(judging, "BATCH", 6)
    train_classifier(on_disk.images, on_disk.labels, classes=2)
    assert read == [7] * 20
    read.clear()
    Judge(build_classifier(on_disk.image_shape, 2), on_disk.images, on_disk.labels)
    # A tenth of 40 to test it, then two halves.
    assert read == [4, *[6, 6, 6, 2], *[6, 6, 6, 2]]


def test_a_file_that_became_shorter_is_named(on_disk, folder, tmp_path):
    on_disk.content_hash()  # as a run does when it begins
    os.truncate(folder / "images.npy", 1000)
    with pytest.raises(Exception, match=r"images\.npy: can't be read any more .*--resume"):
        load_judge(on_disk, tmp_path / "cache")
    assert "shorter" in str(on_disk.images.failure)
    assert not (tmp_path / "cache").exists()  # no judge of half the images is kept


def test_the_evaluation_judges_and_keeps_the_best_generator(on_disk, tmp_path):
    second = np.random.default_rng(judging.SEED).permutation(40)[20:]
    real = on_disk.images[second]
    # Black images at step 10, at step 20 real ones as a perfect generator would draw them.
    drawn = iter([np.zeros_like(real), real])
    evaluation = Evaluation(
        lambda: load_judge(on_disk, tmp_path / "cache"),
        lambda generator, labels: next(drawn),
        tmp_path / "best.keras",
        Board(tmp_path / "tensorboard"),
        interval=10,
        spent=lambda: 0.0,
    )
    generator = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, use_bias=False)])
    evaluation.set_model(SimpleNamespace(generator=generator))
    evaluation.set_params({"steps": None})
    for step in range(20):
        evaluation.on_train_batch_begin(step)
        generator.set_weights([np.array([[step + 1.0]])])
        evaluation.on_train_batch_end(step)
    evaluation.on_train_end()

    record = evaluation.record()
    black, perfect = record["history"]
    assert record["fid"] == perfect["fid"] == record["fid_floor"] < black["fid"]
    assert (record["best_step"], record["class_accuracy"]) == (20, 1)
    assert record["judge_test_accuracy"] == 1
    assert keras.saving.load_model(tmp_path / "best.keras").get_weights()[0].item() == 20
