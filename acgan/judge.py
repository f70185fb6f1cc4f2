"""The classifier that judges generated images: class accuracy and FID.

All runs on the same data have the same judge, in float32 with a fixed seed, whatever the policy and
seed of the run; otherwise their figures could not be compared.
"""

from dataclasses import dataclass
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from keras import layers

from acgan.batched import in_batches
from acgan.fid import frechet_distance
from acgan.gathering import gather
from acgan.pipeline import image_indices
from callbacks.files import replacing

RECIPE = 1  # raised when anything below changes a judge's figures
SEED = 20190
TRAIN_STEPS = 600
TRAIN_BATCH = 100
LEARNING_RATE = 2e-3
TEST_SHARE = 0.1  # of the images, never trained on
FEATURES = 64
LARGEST_HALF = 2500  # images on each side of a distance
LARGEST_TEST = 10_000  # held-back images that its accuracy is measured on
BATCH = 500


@dataclass(frozen=True)
class Quality:
    """What the judge says of generated images.

    `class_accuracy`: share of images, 0..1, in which it sees the class that was asked for.
    `fid`: Fréchet distance of their features to those of real images; see `Judge.fid_floor`.
    """

    class_accuracy: float
    fid: float


class Judge:
    """A small convolutional classifier and the real features it compares with.

    Two halves of the real images, at most 2500 each, are drawn once. `fid_floor` is the distance
    between them; `fid` the distance between the first half and as many generated images as the
    second half has, of the same classes: the same measure with the same sizes, so that a perfect
    generator reaches the floor.

    Attributes:
        classifier: `keras.Model`, uint8-valued images to `[class logits, features]`.
        fid_floor: float.
        test_accuracy: share of held-back real images, 0..1, that it classifies rightly.
        labels: int32 [half], the classes to generate for `assess`.
    """

    def __init__(self, classifier, images, labels):
        self.classifier = classifier
        order = np.random.default_rng(SEED).permutation(len(images))
        test = _split(len(images))[0][:LARGEST_TEST]
        self.test_accuracy = _accuracy(labels[test], self._look_at(images, test)[0])
        half = min(len(images) // 2, LARGEST_HALF)
        first, second = order[:half], order[half : 2 * half]
        self.labels = labels[second]
        self._real_features = self._look_at(images, first)[1]
        self.fid_floor = frechet_distance(self._real_features, self._look_at(images, second)[1])

    def assess(self, images):
        """Judges generated images.

        Arguments:
            images: uint8 [half, height, width, channels], image i of class `labels[i]`.

        Returns:
            A `Quality`.
        """
        logits, features = self._look(images)
        return Quality(
            class_accuracy=_accuracy(self.labels, logits),
            fid=frechet_distance(self._real_features, features),
        )

    def _look(self, images):
        return in_batches(self.classifier, [images], BATCH)

    def _look_at(self, images, rows):
        """The classifier's outputs for some images, of which a batch at a time is in memory."""
        batches = (images[rows[begin : begin + BATCH]] for begin in range(0, len(rows), BATCH))
        parts = [self._look(batch) for batch in batches]
        return [np.concatenate(outputs) for outputs in zip(*parts, strict=True)]


def load_judge(dataset, cache_dir, report=lambda message: None):
    """The judge of a data set, from the cache or newly trained.

    Arguments:
        dataset: an `acgan.datasets.ImageDataset`.
        cache_dir: folder for judges, one file a data set; one that can't be used is done without.
        report: called with a line about what takes time or goes wrong.

    Returns:
        A `Judge`.
    """
    path = Path(cache_dir) / "judges" / f"{dataset.content_hash()[:32]}-{RECIPE}.keras"
    classifier = _cached(path, report)
    if classifier is None:
        report("training the judge of this data set, once (it is kept in the cache)")
        classifier = train_classifier(dataset.images, dataset.labels, dataset.classes)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as partial:
                classifier.save(partial)
        except OSError as error:
            report(f"the judge could not be kept in {path}: {error}")
    return Judge(classifier, dataset.images, dataset.labels)


def train_classifier(images, labels, classes):
    """Trains a judge's classifier; the same data give the same one on the same CPU.

    Arguments:
        images: uint8 [count, height, width, channels], an array or `StoredImages`; never copied as
            a whole.
        labels: int32 [count], values 0..classes-1.
        classes: number of classes.

    Returns:
        A float32 `keras.Model`: images to `[logits [batch, classes], features [batch, 64]]`.
    """
    _, train = _split(len(images))
    with tf.device("CPU"):  # where batches are made
        train, labels = tf.constant(train), tf.constant(labels)
    batch_size = min(TRAIN_BATCH, len(train))

    def batch(step):
        rows = tf.gather(train, image_indices(len(train), batch_size, SEED, step))
        return gather(images, rows), (tf.gather(labels, rows), 0)

    classifier = build_classifier(images.shape[1:], classes)
    schedule = keras.optimizers.schedules.CosineDecay(LEARNING_RATE, TRAIN_STEPS)
    classifier.compile(
        keras.optimizers.Adam(schedule),
        [keras.losses.SparseCategoricalCrossentropy(from_logits=True), None],
        jit_compile=False,
    )
    data = tf.data.Dataset.range(TRAIN_STEPS).map(batch).prefetch(2)
    classifier.fit(data, verbose=0, shuffle=False)
    return classifier


def build_classifier(image_shape, classes):
    """The judge's network, untrained; its initial weights follow from `SEED`."""
    seeds = iter(range(SEED, SEED + 100))

    def convolution(filters, strides=1):
        return layers.Conv2D(
            filters,
            3,
            strides,
            padding="same",
            activation="relu",
            kernel_initializer=keras.initializers.GlorotUniform(next(seeds)),
            dtype="float32",
        )

    images = keras.Input(tuple(image_shape))
    x = layers.Rescaling(1 / 255, dtype="float32")(images)
    for _ in range(max(0, image_shape[0].bit_length() - 6)):  # down to 32..63 pixels
        x = convolution(32, strides=2)(x)
    for filters in (32, 64):
        x = layers.MaxPooling2D(dtype="float32")(convolution(filters)(x))
    x = layers.Dropout(0.5, seed=next(seeds), dtype="float32")(layers.Flatten(dtype="float32")(x))

    def dense(units, **kwargs):
        initializer = keras.initializers.GlorotUniform(next(seeds))
        return layers.Dense(units, kernel_initializer=initializer, dtype="float32", **kwargs)

    features = dense(FEATURES, activation="relu", name="features")(x)
    return keras.Model(images, [dense(classes, name="logits")(features), features], name="judge")


def _split(count):
    """(test, train) indices of the judge's images."""
    order = np.random.default_rng(SEED + 1).permutation(count)
    held_back = max(1, int(count * TEST_SHARE))
    return order[:held_back], order[held_back:]


def _accuracy(labels, logits):
    return float(np.mean(np.argmax(logits, axis=-1) == labels))


def _cached(path, report):
    if not path.exists():
        return None
    try:
        return keras.saving.load_model(path, compile=False)
    except Exception as error:  # Keras raises many kinds for a broken file
        report(f"the judge in {path} can't be read and is trained anew: {error}")
        return None
