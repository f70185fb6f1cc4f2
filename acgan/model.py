"""The AC-GAN as a Keras model with a training step of its own."""

import keras
import tensorflow as tf
from keras import ops

from acgan.losses import class_loss, source_loss
from acgan.replicas import means_over_replicas, replica_count, spans_processes
from acgan.running_mean import RunningMean
from callbacks.flops import Passes

LOSSES = ("generator_loss", "discriminator_loss", "class_loss_real", "class_loss_generated")


@keras.saving.register_keras_serializable("acgan")
class ACGAN(keras.Model):
    """A generator and a discriminator with a source head and a class head, trained together.

    Called with `[latent, labels]` it generates images. `fit` takes batches as
    `acgan.pipeline.batches` makes them; all of the step's randomness is in the batch.

    Built and compiled in the scope of a distribution strategy it trains on several devices, each
    with its part of a batch as `acgan.pipeline.distributed_batches` makes them. Two devices with
    half a batch each make the same update as one with the whole, but for batch normalization: each
    device normalizes by its own part, and the moving statistics are means over the devices.
    Weights, statistics, optimizers and metrics are the same on all devices after every step.

    Arguments:
        generator: model from `[latent float32 [batch, latent_dim], labels int32 [batch]]` to images
            float32 [batch, height, width, channels] in 0..1.
        discriminator: model from such images to `[source_logits float32 [batch, 1],
            class_logits float32 [batch, classes]]`.

    Example:
        model = ACGAN(
            build_generator("dcgan", (28, 28, 1), 10, latent_dim=128, width=32),
            build_discriminator("dcgan", (28, 28, 1), 10, width=32),
        )
        model.compile(keras.optimizers.Adam(2e-4, 0.5), keras.optimizers.Adam(2e-4, 0.5))
        model.fit(batches(images, labels, 10, 64, 128, seed=0), steps_per_epoch=1000)
        model.save("acgan.keras")  # with both optimizers
    """

    def __init__(self, generator, discriminator, **kwargs):
        super().__init__(**kwargs)
        self.generator = generator
        self.discriminator = discriminator
        self._trackers = {name: RunningMean(name) for name in LOSSES}
        self.built = True  # both networks are

    def compile(self, generator_optimizer, discriminator_optimizer, **kwargs):
        """Configures training.

        Both optimizers are built here: built later they would be traced twice, and their state
        would be lost on restoring. Under `mixed_float16` hand in two
        `acgan.precision.LossScaleOptimizer`; Keras wraps only an argument called `optimizer`.

        Arguments:
            generator_optimizer: optimizer of the generator's variables.
            discriminator_optimizer: optimizer of the discriminator's variables.
            **kwargs: `jit_compile`, `steps_per_execution`, `run_eagerly` as for `keras.Model`.

        Raises:
            ValueError: `jit_compile` or several `steps_per_execution` on several devices.
        """
        if replica_count() > 1:
            for name, alone in (("jit_compile", False), ("steps_per_execution", 1)):
                if kwargs.get(name, alone) not in (alone, "auto"):
                    raise ValueError(
                        f"{name}={kwargs[name]} is nothing that Keras can do on several devices: "
                        f"leave it at {alone}"
                    )
        super().compile(optimizer=None, **kwargs)
        self.generator_optimizer = keras.optimizers.get(generator_optimizer)
        self.discriminator_optimizer = keras.optimizers.get(discriminator_optimizer)
        for _, optimizer, network in self._networks():
            if not optimizer.built:
                optimizer.build(network.trainable_variables)
        self._own_compile_config = kwargs

    def call(self, inputs, training=False):
        return self.generator(inputs, training=training)

    @property
    def metrics(self):
        return list(self._trackers.values())

    def compute_gradients(self, batch):
        """Losses and gradients of both networks for one batch, the weights left as they are.

        One forward pass of the generator, and one of the discriminator on what it made, serve both
        networks. Real images pass the discriminator as a batch of their own: batch normalization
        then tells them apart as in the article, and the generator's loss goes back through the
        generated half alone.

        Arguments:
            batch: a dictionary, see `acgan.pipeline.training_batch`.

        Returns:
            (losses, gradients): a float32 scalar for each name in `LOSSES`; for "generator" and
            "discriminator" a list of gradients in the order of the network's
            `trainable_variables`, still multiplied by its optimizer's loss scale. On several
            devices these are the losses of this device's part of the batch, and the gradients are
            divided by the number of devices: Keras' optimizers add them up.
        """
        labels, generated_labels = batch["labels"], batch["generated_labels"]
        images = ops.cast(batch["images"], "float32") / 255.0
        with tf.GradientTape(persistent=True) as tape:
            generated = self.generator([batch["latent"], generated_labels], training=True)
            real_source, real_classes = self.discriminator(images, training=True)
            source, classes = self.discriminator(generated, training=True)
            class_loss_real = class_loss(labels, real_classes)
            class_loss_generated = class_loss(generated_labels, classes)
            # The class loss on generated images is the generator's alone: as long as they look like
            # nothing, a discriminator that also learns to name them learns from noise.
            discriminator_loss = (
                source_loss(real_source, real=True)
                + source_loss(source, real=False)
                + class_loss_real
            )
            generator_loss = source_loss(source, real=True) + class_loss_generated
            scaled_generator_loss = self.generator_optimizer.scale_loss(_share(generator_loss))
            scaled_discriminator_loss = self.discriminator_optimizer.scale_loss(
                _share(discriminator_loss)
            )
        gradients = {
            "generator": tape.gradient(scaled_generator_loss, self.generator.trainable_variables),
            "discriminator": tape.gradient(
                scaled_discriminator_loss, self.discriminator.trainable_variables
            ),
        }
        values = (generator_loss, discriminator_loss, class_loss_real, class_loss_generated)
        return dict(zip(LOSSES, values, strict=True)), gradients

    def train_step(self, batch):
        losses, gradients = self.compute_gradients(batch)
        # TensorFlow copies a weight before it changes it as long as something has yet to read it.
        with tf.control_dependencies([*gradients["generator"], *gradients["discriminator"]]):
            for name, optimizer, network in self._networks():
                optimizer.apply(gradients[name], network.trainable_variables)
        logs = self.track(self._shared(losses))
        if spans_processes():
            # Keras (3.15) reduces the logs of several processes along an axis, and scalars have
            # none. What callbacks get are scalars again.
            logs = {name: ops.reshape(value, (1,)) for name, value in logs.items()}
        return logs

    def _shared(self, losses):
        """Losses of the whole batch; gives all replicas the same moving statistics on the way."""
        statistics = [
            variable
            for _, _, network in self._networks()
            for variable in network.non_trainable_variables
            if replica_count() > 1 and "float" in variable.dtype
        ]
        means = means_over_replicas([*losses.values(), *statistics])
        for variable, mean in zip(statistics, means[len(losses) :], strict=True):
            variable.assign(mean)
        return dict(zip(losses, means, strict=False))

    def training_passes(self):
        """What a step runs, for `callbacks.flops.step_flops`, in passes over one batch.

        The discriminator sees real and generated images; the generator's loss goes back through it
        to the generated ones.
        """
        return [Passes(self.generator), Passes(self.discriminator, 2, 2, 2, to_the_input=1)]

    def track(self, losses):
        """Updates the metrics with a step's losses, by name; returns the means so far.

        With several processes Keras reports the mean over all of them: each has to reset its
        metrics at the same steps.
        """
        for name, loss in losses.items():
            self._trackers[name].update_state(loss)
        return self.get_metrics_result()

    def _maybe_symbolic_build(self, iterator=None, data_batch=None):
        # Everything is built. Keras (3.15) would take a batch to build from and, with several
        # processes, stumble over its being a dictionary.
        pass

    def _networks(self):
        yield "discriminator", self.discriminator_optimizer, self.discriminator
        yield "generator", self.generator_optimizer, self.generator

    def get_config(self):
        networks = {"generator": self.generator, "discriminator": self.discriminator}
        return {
            **super().get_config(),
            **{k: keras.saving.serialize_keras_object(v) for k, v in networks.items()},
        }

    @classmethod
    def from_config(cls, config, custom_objects=None):
        networks = {
            key: keras.saving.deserialize_keras_object(config[key], custom_objects)
            for key in ("generator", "discriminator")
        }
        return cls(**{**config, **networks})

    def get_compile_config(self):
        if not self.compiled:
            return {}
        optimizers = {
            "generator_optimizer": self.generator_optimizer,
            "discriminator_optimizer": self.discriminator_optimizer,
        }
        return {
            **{k: keras.saving.serialize_keras_object(v) for k, v in optimizers.items()},
            **self._own_compile_config,
        }

    def compile_from_config(self, config):
        self.compile(**keras.saving.deserialize_keras_object(config))


def _share(loss):
    """What a replica's loss adds to the batch's."""
    replicas = replica_count()
    return loss / replicas if replicas > 1 else loss
