import dataclasses
import hashlib
import itertools

import numpy as np
import pytest
import tensorflow as tf

from acgan.datasets.stored_images import StoredImages
from acgan.distribution import Distribution, resolve
from acgan.pipeline import (
    batches,
    distributed_batches,
    image_indices,
    latent_vectors,
    training_batch,
)


def take(data, count):
    return list(itertools.islice(data.as_numpy_iterator(), count))


def test_every_image_is_seen_once_an_epoch_across_batches():
    # 10 images in batches of 4: epochs end in the middle of a batch; 5 batches are 2 epochs.
    seen = np.concatenate([image_indices(10, 4, seed=1, step=step) for step in range(5)])
    assert sorted(seen[:10]) == list(range(10))
    assert sorted(seen[10:]) == list(range(10))
    assert list(seen[:10]) != list(seen[10:])


def test_order_depends_on_the_seed():
    orders = {tuple(image_indices(100, 100, seed, step=0).numpy()) for seed in range(20)}
    assert len(orders) == 20


def test_small_data_are_well_mixed():
    # Over many epochs each image comes first about equally often: 300 epochs of 10 images, 30
    # times each with a standard deviation of sqrt(300 * 0.1 * 0.9) = 5.2.
    first = [int(image_indices(10, 1, seed=7, step=10 * epoch)[0]) for epoch in range(300)]
    counts = np.bincount(first, minlength=10)
    assert counts.min() > 30 - 4 * 5.2
    assert counts.max() < 30 + 4 * 5.2


def test_a_batch_follows_from_seed_and_step_alone(tiny_images):
    images, labels = tiny_images
    stream = take(batches(images, labels, 2, 16, 8, seed=3), 6)
    resumed = take(batches(images, labels, 2, 16, 8, seed=3, first_step=4), 2)
    alone = training_batch(images, labels, 2, 16, 8, seed=3, step=5)
    for name in ("images", "labels", "latent", "generated_labels"):
        assert np.array_equal(stream[4][name], resumed[0][name])
        assert np.array_equal(stream[5][name], resumed[1][name])
        assert np.array_equal(stream[5][name], alone[name])
        assert not np.array_equal(stream[4][name], stream[5][name])


@pytest.fixture
def on_disk(tiny_images, tmp_path):
    """The same images in a file."""
    images, labels = tiny_images
    images.tofile(tmp_path / "pixels")
    return StoredImages(tmp_path / "pixels", images.shape), labels


def digest(stream, count=5):
    sha = hashlib.sha256()
    for batch in take(stream, count):
        for name in sorted(batch):
            sha.update(np.ascontiguousarray(batch[name]))
    return sha.hexdigest()


def test_batches_are_the_same_from_memory_and_from_disk(tiny_images, on_disk):
    in_memory, stored = (digest(batches(*d, 2, 16, 8, seed=3)) for d in (tiny_images, on_disk))
    assert in_memory == stored
    # Made by the project's first pipeline, which held the images as a tensor.
    assert in_memory == "2cf98f749e14d78d4b2c3673d2f8cd090a1a257a5cb84f5d55945d6b11323dfa"


def test_replicas_share_the_batch_from_disk(two_replicas, tiny_images, on_disk):
    in_memory, stored = (parts(two_replicas, d, 16, 3) for d in (tiny_images, on_disk))
    for replica, other in zip(itertools.chain(*in_memory), itertools.chain(*stored), strict=True):
        assert all(np.array_equal(replica[name], other[name]) for name in replica)


def test_batches_have_fixed_shapes_and_small_dtypes(tiny_images):
    images, labels = tiny_images
    spec = batches(images, labels, 2, 16, 8, seed=0).element_spec
    assert {name: (tuple(s.shape), s.dtype.name) for name, s in spec.items()} == {
        "images": ((16, 8, 8, 1), "uint8"),
        "labels": ((16,), "int32"),
        "latent": ((16, 8), "float32"),
        "generated_labels": ((16,), "int32"),
    }


def test_images_keep_their_labels(tiny_images):
    images, labels = tiny_images
    batch = training_batch(images, labels, 2, 40, 8, seed=0, step=0)
    bright_above = batch["images"].numpy()[:, :4].mean(axis=(1, 2, 3)) > 128
    assert np.array_equal(bright_above, batch["labels"].numpy() == 0)


def test_latent_vectors_fill_their_range_and_differ_by_step_and_seed():
    latent = latent_vectors(1000, 8, seed=0, step=0).numpy()
    assert latent.min() >= -1
    assert latent.max() < 1
    assert abs(latent.mean()) < 4 * np.sqrt(1 / 3 / 8000)  # of the mean of 8000 uniform numbers
    assert not np.array_equal(latent, latent_vectors(1000, 8, seed=0, step=1))
    assert not np.array_equal(latent, latent_vectors(1000, 8, seed=1, step=0))


def test_generated_labels_are_drawn_from_all_classes(tiny_images):
    images, labels = tiny_images
    drawn = training_batch(images, labels, 5, 40, 8, seed=0, step=0)["generated_labels"].numpy()
    assert set(drawn) == set(range(5))


def parts(distribution, data, batch_size, steps, first_step=0):
    """For each step the parts of a process' replicas, in their order."""
    batches_of_all = distributed_batches(
        distribution, *data, 2, batch_size, 8, seed=3, first_step=first_step
    )
    strategy = distribution.strategy
    found = []
    for _, batch in zip(range(steps), batches_of_all, strict=False):
        local = {name: strategy.experimental_local_results(rows) for name, rows in batch.items()}
        found.append([{name: rows[i].numpy() for name, rows in local.items()} for i in range(2)])
    return found


@pytest.fixture
def two_replicas():
    return resolve("mirrored", None, 16, devices=("CPU:0", "CPU:1"))


def test_replicas_share_the_batch_of_one_device(two_replicas, tiny_images):
    whole = take(batches(*tiny_images, 2, 16, 8, seed=3, first_step=4), 3)
    for batch, (first, second) in zip(
        whole, parts(two_replicas, tiny_images, 16, 3, first_step=4), strict=True
    ):
        for name, rows in batch.items():
            assert len(first[name]) == len(second[name]) == 8
            assert np.array_equal(np.concatenate([first[name], second[name]]), rows)


def test_a_process_makes_the_parts_of_its_own_replicas(two_replicas, tiny_images):
    # The second of two processes with two replicas each: rows 8 to 11 and 12 to 15 of 16.
    second = dataclasses.replace(two_replicas, replicas=4, first_replica=2, workers=2)
    whole = take(batches(*tiny_images, 2, 16, 8, seed=3), 1)[0]
    for part, rows in zip(
        parts(second, tiny_images, 16, 1)[0], (slice(8, 12), slice(12, 16)), strict=True
    ):
        assert all(np.array_equal(part[name], whole[name][rows]) for name in whole)


def test_parts_have_fixed_shapes_and_no_end(two_replicas, tiny_images):
    data = distributed_batches(two_replicas, *tiny_images, 2, 16, 8, seed=3)
    assert data.cardinality == tf.data.INFINITE_CARDINALITY
    for spec, shape in (("images", (8, 8, 8, 1)), ("labels", (8,)), ("latent", (8, 8))):
        for replica in data.element_spec[spec]._value_specs:
            assert tuple(replica.shape) == shape


def test_one_device_has_the_batches_as_they_are(tiny_images):
    data = distributed_batches(Distribution(), *tiny_images, 2, 16, 8, seed=3)
    (batch,) = take(data, 1)
    assert np.array_equal(batch["images"], take(batches(*tiny_images, 2, 16, 8, 3), 1)[0]["images"])


def test_rows_of_a_batch_are_those_of_the_whole(tiny_images):
    whole = training_batch(*tiny_images, 2, 16, 8, seed=3, step=5)
    rows = training_batch(*tiny_images, 2, 16, 8, seed=3, step=5, rows=slice(4, 7))
    for name in whole:
        assert np.array_equal(rows[name], whole[name][4:7])
