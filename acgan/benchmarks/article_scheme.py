"""The article's way of training the same networks, in plain Keras, for comparison."""

import keras
import numpy as np
import tensorflow as tf

from acgan.losses import class_loss, source_loss
from callbacks.flops import Passes


class ArticleScheme:
    """Three optimizers, two passes, input fed from the host, losses read back after each pass.

    The first pass updates the discriminator D and the classifier Q, the layers that only the class
    head needs; the second generates anew and updates the generator G. Real and generated images
    pass the discriminator as separate batches. The article does not say which pass holds Q; in the
    first it costs no forward pass of its own, so that this is the cheapest form of the scheme.

    Arguments:
        generator, discriminator: as `acgan.networks` builds them, in float32.
        optimizer: `optimizer()` makes a new `keras.optimizers.Optimizer`; called three times.
    """

    def __init__(self, generator, discriminator, optimizer):
        self.generator, self.discriminator = generator, discriminator
        source = keras.Model(discriminator.inputs, discriminator.outputs[0])
        of_source = {id(variable) for variable in source.trainable_variables}
        self.variables = {
            "G": generator.trainable_variables,
            "D": source.trainable_variables,
            "Q": [v for v in discriminator.trainable_variables if id(v) not in of_source],
        }
        self.optimizers = {name: optimizer() for name in self.variables}
        for name, variables in self.variables.items():
            self.optimizers[name].build(variables)
        self._update_d_and_q = tf.function(self._update_d_and_q, jit_compile=False)
        self._update_g = tf.function(self._update_g, jit_compile=False)

    def training_passes(self):
        """What a step runs, for `callbacks.flops.step_flops`.

        The discriminator runs forward on real images, generated ones and those of the second pass.
        The first pass goes back for its weights on the first two, the second to the images.
        """
        return [Passes(self.generator, forward=2), Passes(self.discriminator, 3, 2, 2, 1)]

    def step(self, images, labels, latent, generated_labels):
        """Both passes over one batch.

        Arguments:
            images: float32 [batch, height, width, channels] in 0..1, in the host's memory.
            labels, generated_labels: int32 [batch].
            latent: float32 [batch, latent_dim].

        Returns:
            Losses of G, D and Q, floats.
        """
        loss_d, loss_q = self._update_d_and_q(images, labels, latent, generated_labels)
        losses = float(loss_d), float(loss_q)
        return float(self._update_g(latent, generated_labels)), *losses

    def _update_d_and_q(self, images, labels, latent, generated_labels):
        generated = self.generator([latent, generated_labels], training=True)
        with tf.GradientTape() as tape:
            real_source, real_classes = self.discriminator(images, training=True)
            generated_source, _ = self.discriminator(generated, training=True)
            loss_q = class_loss(labels, real_classes)
            loss_d = (
                source_loss(real_source, real=True)
                + source_loss(generated_source, real=False)
                + loss_q
            )
        # Q's layers are in the class loss alone: one way back gives the gradients of both.
        d, q = tape.gradient(loss_d, [self.variables["D"], self.variables["Q"]])
        self.optimizers["D"].apply(d, self.variables["D"])
        self.optimizers["Q"].apply(q, self.variables["Q"])
        return loss_d, loss_q

    def _update_g(self, latent, generated_labels):
        with tf.GradientTape() as tape:
            generated = self.generator([latent, generated_labels], training=True)
            source, classes = self.discriminator(generated, training=True)
            loss = source_loss(source, real=True) + class_loss(generated_labels, classes)
        gradients = tape.gradient(loss, self.variables["G"])
        self.optimizers["G"].apply(gradients, self.variables["G"])
        return loss


class HostFeed:
    """Batches that NumPy makes, as scripts of the article's time fed them.

    The images are floats in memory, shuffled once an epoch, and a batch is a slice of them.

    Arguments:
        images: uint8 [count, height, width, channels].
        labels: int32 [count].
        classes, batch_size, latent_dim: as for `acgan.pipeline.batches`.
    """

    def __init__(self, images, labels, classes, batch_size, latent_dim):
        self._random = np.random.default_rng(0)
        order = self._random.permutation(len(images))
        self._images, self._labels = images[order].astype(np.float32) / 255.0, labels[order]
        self._classes, self._batch_size, self._latent_dim = classes, batch_size, latent_dim
        self._begin = 0

    def batch(self):
        """The next batch, as `ArticleScheme.step` takes it."""
        size = self._batch_size
        if self._begin + size > len(self._images):
            order = self._random.permutation(len(self._images))
            self._images, self._labels = self._images[order], self._labels[order]
            self._begin = 0
        rows = slice(self._begin, self._begin + size)
        self._begin += size
        # Drawn as float32: there is nothing to convert.
        latent = self._random.random((size, self._latent_dim), np.float32) * 2 - 1
        generated_labels = self._random.integers(0, self._classes, size, np.int32)
        return self._images[rows], self._labels[rows], latent, generated_labels
