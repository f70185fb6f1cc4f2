import subprocess
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf

from acgan.losses import class_loss, source_loss
from acgan.model import ACGAN, LOSSES
from acgan.networks import NETWORKS, build_discriminator, build_generator
from acgan.pipeline import batches, training_batch
from acgan.precision import LossScaleOptimizer, scaled_optimizer

SHAPE, CLASSES, LATENT = (8, 8, 1), 2, 8


def build(
    policy="float32",
    seed=0,
    optimizer=lambda: keras.optimizers.Adam(1e-3, 0.5),
    network="dcgan",
):
    keras.utils.set_random_seed(seed)
    model = ACGAN(
        build_generator(network, SHAPE, CLASSES, LATENT, 8, policy),
        build_discriminator(network, SHAPE, CLASSES, 8, policy),
        dtype=policy,
    )
    model.compile(
        scaled_optimizer(optimizer(), policy),
        scaled_optimizer(optimizer(), policy),
        jit_compile=False,
    )
    return model


def fit(model, data, steps, seed=0):
    losses = []

    class Collect(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            losses.append(dict(logs))
            self.model.reset_metrics()

    model.fit(
        batches(*data, CLASSES, 16, LATENT, seed),
        steps_per_epoch=steps,
        verbose=0,
        shuffle=False,
        callbacks=[Collect()],
    )
    return losses


def a_batch(data, step=0):
    return training_batch(*data, CLASSES, 16, LATENT, seed=0, step=step)


@pytest.mark.parametrize("network", NETWORKS)
def test_gradients_are_those_of_the_losses_as_written_down(network, tiny_images):
    model = build(network=network)
    batch = a_batch(tiny_images)
    losses, gradients = model.compute_gradients(batch)

    reference = build(network=network)
    generator, discriminator = reference.generator, reference.discriminator
    with tf.GradientTape(persistent=True) as tape:
        generated = generator([batch["latent"], batch["generated_labels"]], training=True)
        real = tf.cast(batch["images"], tf.float32) / 255
        # Batch normalization, of which the article's has some, sees them apart.
        real_source, real_classes = discriminator(real, training=True)
        source, classes = discriminator(generated, training=True)
        on_real = class_loss(batch["labels"], real_classes)
        on_generated = class_loss(batch["generated_labels"], classes)
        generator_loss = source_loss(source, True) + on_generated
        discriminator_loss = source_loss(real_source, True) + source_loss(source, False) + on_real
    assert float(losses["generator_loss"]) == pytest.approx(float(generator_loss))
    assert float(losses["discriminator_loss"]) == pytest.approx(float(discriminator_loss))
    assert float(losses["class_loss_real"]) == pytest.approx(float(on_real))
    assert float(losses["class_loss_generated"]) == pytest.approx(float(on_generated))
    for part, loss in ((generator, generator_loss), (discriminator, discriminator_loss)):
        expected = tape.gradient(loss, part.trainable_variables)
        for got, want in zip(gradients[part.name], expected, strict=True):
            np.testing.assert_allclose(
                tf.convert_to_tensor(got), tf.convert_to_tensor(want), rtol=1e-4, atol=1e-6
            )


def test_gradients_leave_the_weights_as_they_are(tiny_images):
    model = build()
    before = [v.numpy() for v in model.trainable_variables]
    model.compute_gradients(a_batch(tiny_images))
    after = [v.numpy() for v in model.trainable_variables]
    assert all(np.array_equal(b, a) for b, a in zip(before, after, strict=True))


def test_a_step_applies_both_gradients(tiny_images):
    model = build(optimizer=lambda: keras.optimizers.SGD(0.5))
    batch = a_batch(tiny_images)
    _, gradients = model.compute_gradients(batch)
    expected = {
        network.name: [
            variable.numpy() - 0.5 * np.asarray(tf.convert_to_tensor(gradient))
            for variable, gradient in zip(
                network.trainable_variables, gradients[network.name], strict=True
            )
        ]
        for network in (model.generator, model.discriminator)
    }
    model.train_step(batch)
    for network in (model.generator, model.discriminator):
        for variable, value in zip(
            network.trainable_variables, expected[network.name], strict=True
        ):
            np.testing.assert_allclose(variable.numpy(), value, rtol=1e-5, atol=1e-7)


def test_gradients_carry_the_loss_scale(tiny_images):
    plain, scaled = build("mixed_float16"), build("mixed_float16")
    for optimizer, scale in (
        (plain.generator_optimizer, 1.0),
        (plain.discriminator_optimizer, 1.0),
        (scaled.generator_optimizer, 16.0),
        (scaled.discriminator_optimizer, 64.0),
    ):
        optimizer.dynamic_scale.assign(scale)
    batch = a_batch(tiny_images)
    _, gradients = plain.compute_gradients(batch)
    _, scaled_gradients = scaled.compute_gradients(batch)
    for name, scale in (("generator", 16), ("discriminator", 64)):
        norm = np.sqrt(sum(np.sum(np.square(g)) for g in dense(gradients[name])))
        scaled_norm = np.sqrt(sum(np.sum(np.square(g)) for g in dense(scaled_gradients[name])))
        assert scaled_norm / norm == pytest.approx(scale, rel=0.02)


def dense(gradients):
    return [np.asarray(tf.convert_to_tensor(gradient)) for gradient in gradients]


@pytest.mark.parametrize("policy", ["float32", "mixed_bfloat16", "mixed_float16"])
def test_the_class_loss_falls_in_every_policy(tiny_images, policy):
    losses = [step["class_loss_real"] for step in fit(build(policy), tiny_images, 60)]
    assert np.mean(losses[-10:]) < 0.5 * np.mean(losses[:10])


def test_the_same_seed_gives_the_same_losses_to_the_last_digit(tiny_images):
    first, second = (fit(build(seed=5), tiny_images, 10, seed=5) for _ in range(2))
    other = fit(build(seed=6), tiny_images, 10, seed=6)
    assert first == second
    assert first != other


def test_metrics_are_means_since_the_last_reset(tiny_images):
    model = build(optimizer=lambda: keras.optimizers.SGD(0.0))
    assert [metric.name for metric in model.metrics] == list(LOSSES)
    each = []
    for step in range(3):
        losses, _ = model.compute_gradients(a_batch(tiny_images, step))
        each.append(float(losses["discriminator_loss"]))
    model.reset_metrics()
    for step in range(3):
        logs = model.train_step(a_batch(tiny_images, step))
    assert float(logs["discriminator_loss"]) == pytest.approx(sum(each) / 3, rel=1e-4)
    model.reset_metrics()
    assert float(model.get_metrics_result()["discriminator_loss"]) == 0


def test_a_call_generates_images():
    model = build()
    images = model.predict([np.zeros((3, LATENT), np.float32), np.array([0, 1, 0])], verbose=0)
    assert images.shape == (3, *SHAPE)


@pytest.mark.parametrize("policy", ["float32", "mixed_float16"])
def test_a_saved_model_loads_with_both_optimizers(tiny_images, tmp_path, policy):
    model = build(policy)
    fit(model, tiny_images, 3)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert type(loaded) is ACGAN
    assert loaded.jit_compile is False
    for name in ("generator_optimizer", "discriminator_optimizer"):
        ours, theirs = getattr(model, name), getattr(loaded, name)
        assert type(ours) is type(theirs)
        assert int(theirs.iterations.numpy()) == int(ours.iterations.numpy()) > 0
        assert isinstance(theirs, LossScaleOptimizer) == (policy == "mixed_float16")
        for ours_variable, theirs_variable in zip(ours.variables, theirs.variables, strict=True):
            assert np.array_equal(ours_variable.numpy(), theirs_variable.numpy())
    batch = a_batch(tiny_images, step=3)
    model.reset_metrics()
    loaded.reset_metrics()
    expected = {name: float(value) for name, value in model.train_step(batch).items()}
    assert {name: float(v) for name, v in loaded.train_step(batch).items()} == expected


def test_a_saved_model_loads_in_a_fresh_interpreter(tiny_images, tmp_path):
    model = build()
    model.save(tmp_path / "model.keras")
    program = (
        "import sys, keras, acgan.model\n"
        "m = keras.saving.load_model(sys.argv[1])\n"
        "print(*(type(x).__name__ for x in (m, m.generator_optimizer, m.discriminator_optimizer)))"
    )
    output = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "model.keras")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert output.split() == ["ACGAN", "Adam", "Adam"]


def test_optimizers_are_built_when_compiled():
    model = build()
    assert model.generator_optimizer.built
    assert model.discriminator_optimizer.built
    assert model.optimizer is None


def test_steps_per_execution_counts_every_step(tiny_images):
    model = build()
    model.compile(
        keras.optimizers.Adam(), keras.optimizers.Adam(), steps_per_execution=4, jit_compile=False
    )
    model.fit(
        batches(*tiny_images, CLASSES, 16, LATENT, 0), steps_per_epoch=8, verbose=0, shuffle=False
    )
    assert int(model.generator_optimizer.iterations.numpy()) == 8
