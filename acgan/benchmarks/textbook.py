"""The alternating AC-GAN step of the textbooks, in plain Keras, for comparison."""

import keras
import tensorflow as tf
from keras import ops

from acgan.losses import class_loss, source_loss
from acgan.model import ACGAN, LOSSES
from callbacks.flops import Passes


@keras.saving.register_keras_serializable("acgan")
class TextbookACGAN(ACGAN):
    """Updates the discriminator, then the generator, each with images generated for it.

    As in Goodfellow et al. 2014 (arXiv:1406.2661), algorithm 1, with the class losses of Odena et
    al. 2016 (arXiv:1610.09585): real and generated images pass the discriminator as separate
    batches, and the generator's update generates anew. Networks and losses are those of `ACGAN`.
    """

    def training_passes(self):
        return [Passes(self.generator, forward=2), Passes(self.discriminator, 3, 2, 2, 1)]

    def train_step(self, batch):
        discriminator, generator = self.discriminator, self.generator
        labels, generated_labels = batch["labels"], batch["generated_labels"]
        images = ops.cast(batch["images"], "float32") / 255.0

        generated = generator([batch["latent"], generated_labels], training=True)
        with tf.GradientTape() as tape:
            real_source, real_classes = discriminator(images, training=True)
            generated_source, _ = discriminator(generated, training=True)
            class_loss_real = class_loss(labels, real_classes)
            discriminator_loss = (
                source_loss(real_source, real=True)
                + source_loss(generated_source, real=False)
                + class_loss_real
            )
            scaled = self.discriminator_optimizer.scale_loss(discriminator_loss)
        variables = discriminator.trainable_variables
        self.discriminator_optimizer.apply(tape.gradient(scaled, variables), variables)

        # Latent vectors of its own, from the numbers at hand, so that the step needs no state.
        latent = -ops.flip(batch["latent"], axis=0)
        with tf.GradientTape() as tape:
            source, classes = discriminator(
                generator([latent, generated_labels], training=True), training=True
            )
            class_loss_generated = class_loss(generated_labels, classes)
            generator_loss = source_loss(source, real=True) + class_loss_generated
            scaled = self.generator_optimizer.scale_loss(generator_loss)
        variables = generator.trainable_variables
        self.generator_optimizer.apply(tape.gradient(scaled, variables), variables)

        values = (generator_loss, discriminator_loss, class_loss_real, class_loss_generated)
        return self.track(dict(zip(LOSSES, values, strict=True)))
