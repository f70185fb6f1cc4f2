"""A model to train, from a run's settings."""

import keras

from acgan.adam import FusedAdam
from acgan.fast_layers import with_fast_layers
from acgan.model import ACGAN
from acgan.networks import build_discriminator, build_generator
from acgan.precision import scaled_optimizer


def build_model(settings, image_shape, classes, policy):
    """A compiled `ACGAN`; its initial weights follow from the settings' seed.

    Arguments:
        settings: an `acgan.settings.Settings`.
        image_shape: (height, width, channels).
        classes: number of classes.
        policy: name of a Keras dtype policy.
    """
    keras.utils.set_random_seed(settings.seed)
    generator = build_generator(
        settings.network, image_shape, classes, settings.latent_dim, settings.width, policy
    )
    discriminator = build_discriminator(
        settings.network, image_shape, classes, settings.width, policy
    )
    model = ACGAN(
        with_fast_layers(generator), with_fast_layers(discriminator), name="acgan", dtype=policy
    )

    def optimizer(learning_rate):
        adam = FusedAdam(learning_rate, beta_1=settings.beta_1)
        return scaled_optimizer(adam, policy, settings.loss_scale)

    model.compile(
        generator_optimizer=optimizer(settings.generator_learning_rate),
        discriminator_optimizer=optimizer(settings.learning_rate),
        jit_compile=settings.jit_compile,
    )
    return model
