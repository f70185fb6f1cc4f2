import numpy as np

from acgan.generation import BATCH, generate_images, images_by_class
from acgan.networks import build_generator


class LatentPlusLabel:
    """One-pixel images of value latent + label / 10; notes the batches it is given."""

    def __init__(self):
        self.batches = []

    def __call__(self, inputs, training):
        latent, labels = inputs
        self.batches.append(len(labels))
        assert not training
        return (latent[:, :1] + labels[:, None] / 10).reshape(-1, 1, 1, 1)


def test_values_become_bytes_by_rounding():
    latent = np.array([[0.0], [0.5], [1.0], [100.4 / 255], [100.6 / 255]], np.float32)
    images = generate_images(LatentPlusLabel(), latent, np.zeros(5, np.int32))
    assert images.dtype == np.uint8
    # 0.5 * 255 = 127.5 goes to the even neighbour.
    assert images.ravel().tolist() == [0, 128, 255, 100, 101]


def test_values_out_of_range_are_cut_and_what_is_no_number_is_black():
    latent = np.array([[-3.0], [7.0], [np.inf], [-np.inf], [np.nan]], np.float32)
    images = generate_images(LatentPlusLabel(), latent, np.zeros(5, np.int32))
    assert images.ravel().tolist() == [0, 255, 255, 0, 0]


def test_any_number_of_images_goes_through_in_batches():
    generator = LatentPlusLabel()
    count = 2 * BATCH + 1
    latent = np.arange(count, dtype=np.float32)[:, None] % 256 / 255
    images = generate_images(generator, latent, np.zeros(count, np.int32))
    assert generator.batches == [BATCH, BATCH, 1]
    assert images.ravel().tolist() == [i % 256 for i in range(count)]


def test_rows_share_a_latent_vector_and_columns_a_class():
    latent = np.array([[0.1], [0.4]], np.float32)
    images = images_by_class(LatentPlusLabel(), latent, range(3))
    assert images.shape == (2, 3, 1, 1, 1)
    assert images[..., 0, 0, 0].tolist() == [
        [round(255 * value) for value in (0.1, 0.1 + 0.1, 0.1 + 0.2)],
        [round(255 * value) for value in (0.4, 0.4 + 0.1, 0.4 + 0.2)],
    ]


def test_a_real_generator_gives_the_same_images_in_any_batch():
    generator = build_generator("dcgan", (8, 8, 3), 2, 4, 8)
    latent = np.random.default_rng(0).uniform(-1, 1, (5, 4)).astype(np.float32)
    images = generate_images(generator, latent, np.array([0, 1, 0, 1, 1], np.int32))
    by_class = images_by_class(generator, latent, [0, 1])
    assert images.shape == (5, 8, 8, 3)
    for row, label in enumerate([0, 1, 0, 1, 1]):
        # Values near a half may round either way, as sums depend on the batch.
        difference = images[row].astype(int) - by_class[row, label]
        assert np.abs(difference).max() <= 1
    assert images.std() > 0
