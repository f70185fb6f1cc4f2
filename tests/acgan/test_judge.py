import shutil
import zipfile
from types import SimpleNamespace

import keras
import numpy as np
import pytest

from acgan import judge as judging
from acgan.datasets import ImageDataset
from acgan.judge import Judge, build_classifier, load_judge, train_classifier


def data_set(images, labels, name="stripes"):
    return ImageDataset(name, images, labels, ("above", "below"))


@pytest.fixture(scope="module")
def data(stripes):
    return data_set(*stripes)


@pytest.fixture(autouse=True)
def quick(monkeypatch, request):
    """Twenty steps are enough to tell bright above from bright below."""
    if "slow" not in request.keywords:
        monkeypatch.setattr(judging, "TRAIN_STEPS", 20)


@pytest.fixture(scope="module")
def trained(data, tmp_path_factory):
    """A cache that holds the judge of `data`, and the messages when it was trained."""
    cache_dir, messages = tmp_path_factory.mktemp("trained"), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judging, "TRAIN_STEPS", 20)
        judge = load_judge(data, cache_dir, messages.append)
    return SimpleNamespace(cache_dir=cache_dir, messages=messages, judge=judge)


@pytest.fixture
def cache_dir(trained, tmp_path):
    """A copy of that cache."""
    return shutil.copytree(trained.cache_dir, tmp_path / "cache")


def weights_of(classifier):
    return [weight.numpy() for weight in classifier.weights]


def same(weights, others):
    return all(map(np.array_equal, weights, others)) and len(weights) == len(others)


def second_half(images):
    """The real images that `Judge` compares with the first half; see its docstring."""
    order = np.random.default_rng(judging.SEED).permutation(len(images))
    return order[len(images) // 2 :]


def test_the_same_data_give_the_same_judge_whatever_the_run_s_seed(trained, data):
    first = weights_of(trained.judge.classifier)
    keras.utils.set_random_seed(2)
    assert same(first, weights_of(train_classifier(data.images, data.labels, classes=2)))
    assert not same(first, weights_of(train_classifier(data.images, 1 - data.labels, classes=2)))


def test_the_judge_is_float32_under_any_policy():
    policy = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_float16")
    try:
        classifier = build_classifier((8, 8, 1), 2)
    finally:
        keras.config.set_dtype_policy(policy)
    _, *computing = classifier.layers  # an input layer computes nothing
    assert {layer.compute_dtype for layer in computing} == {"float32"}


def test_large_images_are_halved_down_to_63_pixels_at_most():
    sides = {}
    for side in (4, 28, 60, 64, 128, 200):
        classifier = build_classifier((side, side, 3), 2)
        pooling = [x for x in classifier.layers if isinstance(x, keras.layers.MaxPooling2D)]
        sides[side] = pooling[0].input.shape[1]
    assert sides == {4: 4, 28: 28, 60: 60, 64: 32, 128: 128 // 4, 200: 200 // 4}


def test_real_images_of_the_second_half_give_the_floor(trained, data):
    judge = trained.judge
    second = second_half(data.images)
    assert np.array_equal(judge.labels, data.labels[second])
    quality = judge.assess(data.images[second])
    assert quality.fid == judge.fid_floor
    assert quality.class_accuracy == 1
    assert judge.test_accuracy == 1


def test_worse_images_are_judged_worse(trained, data):
    judge = trained.judge
    images = data.images[second_half(data.images)]
    upside_down = judge.assess(images[:, ::-1])
    assert upside_down.class_accuracy == 0
    noise = np.random.default_rng(1).integers(0, 256, images.shape, np.uint8)
    black = judge.assess(np.zeros_like(images))
    for bad in (judge.assess(noise), black):
        assert bad.fid > 2 * judge.fid_floor
    # Every image looks alike, so one class is right for half of them, give or take.
    assert black.class_accuracy in (np.mean(judge.labels == 0), np.mean(judge.labels == 1))


def test_the_halves_are_no_larger_than_the_limit(data, monkeypatch):
    monkeypatch.setattr(judging, "LARGEST_HALF", 7)
    judge = Judge(build_classifier(data.image_shape, 2), data.images, data.labels)
    order = np.random.default_rng(judging.SEED).permutation(40)
    assert np.array_equal(judge.labels, data.labels[order[7:14]])


def test_a_judge_is_kept_by_the_data_s_content(trained, cache_dir, data):
    assert len(trained.messages) == 1
    assert "once" in trained.messages[0]
    files = [file.name for file in (cache_dir / "judges").iterdir()]
    assert files == [f"{data.content_hash()[:32]}-{judging.RECIPE}.keras"]

    messages = []
    renamed = data_set(data.images.copy(), data.labels.copy(), "another name")
    judge = load_judge(renamed, cache_dir, messages.append)
    assert messages == []
    assert same(weights_of(trained.judge.classifier), weights_of(judge.classifier))
    assert judge.fid_floor == trained.judge.fid_floor

    images = data.images.copy()
    images[0, 0, 0, 0] ^= 1
    load_judge(data_set(images, data.labels), cache_dir, messages.append)
    assert len(messages) == 1
    assert len(list((cache_dir / "judges").iterdir())) == 2


def cut(path):
    path.write_bytes(path.read_bytes()[:1000])


def flip_a_byte(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


def leave_out_the_model(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("note.txt", "no model")


@pytest.mark.parametrize("spoil", [cut, flip_a_byte, leave_out_the_model])
def test_a_broken_file_is_replaced(trained, cache_dir, data, spoil):
    (file,) = (cache_dir / "judges").iterdir()
    spoil(file)
    messages = []
    judge = load_judge(data, cache_dir, messages.append)
    assert str(file) in messages[0]
    assert "trained anew" in messages[0]
    assert same(weights_of(trained.judge.classifier), weights_of(judge.classifier))
    keras.saving.load_model(file)


def test_a_cache_that_cant_be_written_is_done_without(data, tmp_path):
    (tmp_path / "file").touch()
    messages = []
    judge = load_judge(data, tmp_path / "file" / "cache", messages.append)
    assert judge.test_accuracy == 1
    assert "could not be kept" in messages[-1]
    assert str(tmp_path / "file" / "cache") in messages[-1]


@pytest.mark.slow
def test_the_judge_knows_real_digits(judge_cache):
    from acgan import datasets

    judge = load_judge(datasets.load("mnist5k"), judge_cache)
    assert judge.test_accuracy > 0.95
    assert len(judge.labels) == 5000 // 2
    assert 0.2 < judge.fid_floor < 5  # a trial of the project's first days: 0.97
