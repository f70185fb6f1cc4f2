"""Batches of a run: batch k follows from (seed, k) alone.

No state is kept between batches, so resuming, replaying and comparing runs need none. Images stay
uint8 until the training step turns them into floats on the device.
"""

import functools

import tensorflow as tf

from acgan.gathering import gather

_ORDER, _LATENT, _LABELS = range(3)  # streams of random numbers that share a seed


def batches(images, labels, classes, batch_size, latent_dim, seed, first_step=0, rows=slice(None)):
    """An endless `tf.data.Dataset` of training batches, prefetched, each of the same shape.

    Every image is seen once an epoch, in an order that differs from epoch to epoch. A batch may
    span two epochs, so that no image is dropped and no batch is short.

    Arguments:
        images: uint8 [count, height, width, channels], an array or
            `acgan.datasets.stored_images.StoredImages`; never copied as a whole.
        labels: int32 [count], values 0..classes-1.
        classes: number of classes to draw labels for generated images from, uniformly.
        batch_size: images per batch, 1..count.
        latent_dim: length of a latent vector.
        seed: non-negative integer.
        first_step: k of the first batch.
        rows: a slice, which rows of every batch to make.

    Returns:
        Batches as `training_batch` makes them.
    """
    with tf.device("CPU"):  # where batches are made; the labels take no memory of a GPU
        labels = tf.constant(labels)

    def batch(step):
        return training_batch(images, labels, classes, batch_size, latent_dim, seed, step, rows)

    steps = tf.data.Dataset.counter(first_step)
    return steps.map(batch, num_parallel_calls=2, deterministic=True).prefetch(4)


def distributed_batches(
    distribution, images, labels, classes, batch_size, latent_dim, seed, first_step=0
):
    """`batches`, each shared by the replicas of a distribution.

    Replica i of n gets the i-th of n equal parts of batch k: whatever trains, the union of the
    parts is the batch that one device would get. A process makes only the parts of its own
    replicas.

    Arguments:
        distribution: an `acgan.distribution.Distribution`; without a strategy this is `batches`.
        batch_size: images per batch on all replicas together, a multiple of their number.
        images, labels, classes, latent_dim, seed, first_step: as for `batches`.

    Returns:
        What `fit` takes: a `tf.distribute.DistributedDataset` whose elements hold a part for each
        of this process's replicas.
    """
    whole = functools.partial(
        batches, images, labels, classes, batch_size, latent_dim, seed, first_step
    )
    if distribution.strategy is None:
        return whole()
    size, local = batch_size // distribution.replicas, distribution.local_replicas
    first = distribution.first_replica * size

    def parts(batch):
        return {
            name: tf.reshape(rows, (local, size, *rows.shape[1:])) for name, rows in batch.items()
        }

    def dataset(_):
        each = whole(slice(first, first + local * size)).map(parts).unbatch()
        # Known to be endless, it needs no agreement in every step on whether it goes on.
        return each.apply(tf.data.experimental.assert_cardinality(tf.data.INFINITE_CARDINALITY))

    # A function, because TensorFlow would share out a data set by its own rules.
    return distribution.strategy.distribute_datasets_from_function(dataset)


def training_batch(images, labels, classes, batch_size, latent_dim, seed, step, rows=slice(None)):
    """Batch `step` of a run, or some of its rows.

    Returns:
        A dictionary: `images` uint8 [batch, height, width, channels], `labels` int32 [batch],
        `latent` float32 [batch, latent_dim] uniform in -1..1, `generated_labels` int32 [batch].
    """
    indices = image_indices(len(images), batch_size, seed, step)[rows]
    indices = tf.ensure_shape(indices, (len(range(batch_size)[rows]),))
    return {
        "images": gather(images, indices),
        "labels": tf.gather(labels, indices),
        "latent": latent_vectors(batch_size, latent_dim, seed, step)[rows],
        "generated_labels": tf.random.stateless_uniform(
            (batch_size,), _key(seed, step, _LABELS), 0, classes, tf.int32
        )[rows],
    }


def image_indices(count, batch_size, seed, step):
    """Which images batch `step` holds: int64 [batch_size], a part of the epoch's permutation."""
    count = tf.cast(count, tf.int64)
    position = tf.cast(step, tf.int64) * batch_size + tf.range(batch_size, dtype=tf.int64)
    first, epoch = position[0] // count, position // count
    # A batch is no larger than the data, so that it spans two epochs at most.
    key, next_key = (_shuffle_key(seed, first + i) for i in range(2))
    keys = tf.where((epoch == first)[:, None], key, next_key)
    # The raw op, because `tf.random.experimental.index_shuffle` (2.21) refuses one key an index.
    return tf.raw_ops.RandomIndexShuffle(
        index=position % count, seed=keys, max_index=count - 1, rounds=4
    )


def latent_vectors(batch_size, latent_dim, seed, step):
    """Latent vectors of batch `step`: float32 [batch_size, latent_dim], uniform in -1..1."""
    return tf.random.stateless_uniform(
        (batch_size, latent_dim), _key(seed, step, _LATENT), -1.0, 1.0
    )


def _shuffle_key(seed, epoch):
    # Neighbouring keys give related permutations of small data sets, hence the random ones.
    return tf.random.stateless_uniform((3,), _key(seed, epoch, _ORDER), None, None, tf.int64)


def _key(seed, step, stream):
    return tf.stack([tf.cast(seed, tf.int64) * 3 + stream, tf.cast(step, tf.int64)])
