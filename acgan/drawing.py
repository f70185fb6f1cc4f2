"""What a run draws with its generator: always from the same latent vectors."""

from acgan import pipeline
from acgan.generation import generate_images, images_by_class
from acgan.judge import SEED as JUDGE_SEED

SAMPLE_ROWS = 8
SAMPLE_SEED = 2019  # of the latent vectors that every run's samples are drawn from


def draw_samples(model, latent_dim, classes):
    """Samples of every class: uint8 [8, classes, height, width, channels].

    Arguments:
        model: an `acgan.model.ACGAN`.
        latent_dim: length of a latent vector.
        classes: number of classes.
    """
    latent = pipeline.latent_vectors(SAMPLE_ROWS, latent_dim, SAMPLE_SEED, 0)
    return images_by_class(model.generator, latent, range(classes))


def draw_for_judge(generator, labels, latent_dim):
    """An image for each label: uint8 [count, height, width, channels].

    Arguments:
        generator: model as in `acgan.model.ACGAN`.
        labels: int [count].
        latent_dim: length of a latent vector.
    """
    latent = pipeline.latent_vectors(len(labels), latent_dim, JUDGE_SEED, 0)
    return generate_images(generator, latent, labels)
