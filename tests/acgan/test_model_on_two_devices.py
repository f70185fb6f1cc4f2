"""`acgan.model` on two devices; two logical CPUs stand for two GPUs."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from acgan.adam import FusedAdam
from acgan.distribution import resolve
from acgan.model import ACGAN, LOSSES
from acgan.model_state import get_arrays, set_arrays
from acgan.networks import build_discriminator, build_generator
from acgan.pipeline import batches, distributed_batches, training_batch
from acgan.precision import scaled_optimizer

SHAPE, CLASSES, LATENT = (8, 8, 1), 2, 8


@pytest.fixture
def two():
    """Two devices: a `Distribution`."""
    return resolve("mirrored", None, 16, devices=("CPU:0", "CPU:1"))


def build(policy="float32", seed=0):
    """An ACGAN with batch normalization in its generator."""
    keras.utils.set_random_seed(seed)
    generator = build_generator("dcgan", SHAPE, CLASSES, LATENT, 8, policy)
    discriminator = build_discriminator("dcgan", SHAPE, CLASSES, 8, policy)
    return compiled(generator, discriminator, policy, lambda: FusedAdam(1e-3, 0.5))


def build_dense(policy="float32"):
    """An ACGAN of an embedding and dense layers."""
    keras.utils.set_random_seed(1)
    dtype, layers = keras.dtype_policies.get(policy), keras.layers
    latent, labels = keras.Input((LATENT,)), keras.Input((), dtype="int32")
    embedded = layers.Embedding(CLASSES, LATENT, dtype=dtype)(labels)
    x = layers.Dense(32, "relu", dtype=dtype)(layers.Multiply(dtype=dtype)([latent, embedded]))
    x = layers.Reshape(SHAPE, dtype=dtype)(layers.Dense(64, dtype=dtype)(x))
    generator = keras.Model([latent, labels], layers.Activation("sigmoid", dtype="float32")(x))
    images = keras.Input(SHAPE)
    x = layers.Dense(32, "relu", dtype=dtype)(layers.Flatten(dtype=dtype)(images))
    heads = [layers.Dense(units, dtype="float32")(x) for units in (1, CLASSES)]
    discriminator = keras.Model(images, heads)
    return compiled(generator, discriminator, policy, lambda: keras.optimizers.SGD(0.1))


def compiled(generator, discriminator, policy, optimizer):
    model = ACGAN(generator, discriminator, dtype=policy)
    optimizers = (scaled_optimizer(optimizer(), policy) for _ in range(2))
    model.compile(*optimizers, jit_compile=False)
    return model


def a_batch(data):
    return training_batch(*data, CLASSES, 16, LATENT, seed=0, step=0)


def dense(gradients):
    return [np.asarray(tf.convert_to_tensor(gradient)) for gradient in gradients]


def on_both(distribution, function, batch):
    """What `function` gives for the halves of a batch, one on each device: a list of two."""
    halves = distribution.strategy.experimental_distribute_values_from_function(
        lambda context: {
            name: rows[8 * context.replica_id_in_sync_group :][:8] for name, rows in batch.items()
        }
    )
    results = tf.function(lambda x: distribution.strategy.run(function, args=(x,)))(halves)
    local = distribution.strategy.experimental_local_results
    return [tf.nest.map_structure(lambda r, i=i: local(r)[i], results) for i in range(2)]


def copies(model, index):
    """The values of all variables on one of the devices."""
    optimizers = (model.generator_optimizer, model.discriminator_optimizer)
    variables = [*model.variables, *(v for o in optimizers for v in o.variables)]
    return [variable.value.values[index].numpy() for variable in variables]


def same(some, others):
    return all(np.array_equal(a, b) for a, b in zip(some, others, strict=True))


@pytest.mark.parametrize(
    ("policy", "accuracy"), [("float32", 1e-6), ("mixed_bfloat16", 3e-2), ("mixed_float16", 1e-2)]
)
def test_half_the_batch_on_each_of_two_devices_gives_the_same_gradients(
    two, tiny_images, policy, accuracy
):
    batch = a_batch(tiny_images)
    losses, gradients = tf.function(build_dense(policy).compute_gradients)(batch)
    with two.scope():
        model = build_dense(policy)
    (losses_0, gradients_0), (losses_1, gradients_1) = on_both(two, model.compute_gradients, batch)
    for name, loss in losses.items():
        half = (float(losses_0[name]) + float(losses_1[name])) / 2
        assert half == pytest.approx(float(loss), rel=accuracy)
    for network, whole in gradients.items():
        parts = zip(dense(gradients_0[network]), dense(gradients_1[network]), strict=True)
        for part, expected in zip((a + b for a, b in parts), dense(whole), strict=True):
            expected = expected.astype(np.float64)
            assert np.linalg.norm(part - expected) <= accuracy * np.linalg.norm(expected)


@pytest.mark.parametrize(("policy", "accuracy"), [("float32", 1e-5), ("mixed_float16", 1e-2)])
def test_two_devices_make_the_updates_of_one(two, tiny_images, policy, accuracy):
    one = build_dense(policy)
    with two.scope():
        model = build_dense(policy)
    before = [v.numpy() for v in one.trainable_variables]
    for data, trained in (
        (batches(*tiny_images, CLASSES, 16, LATENT, 0), one),
        (distributed_batches(two, *tiny_images, CLASSES, 16, LATENT, 0), model),
    ):
        trained.fit(data, steps_per_epoch=5, verbose=0, shuffle=False)
    after = zip(before, one.trainable_variables, model.trainable_variables, strict=True)
    for start, alone, shared in after:
        update = alone.numpy() - start
        assert np.linalg.norm(update) > 0
        difference = np.linalg.norm(shared.value.values[0].numpy() - alone.numpy())
        assert difference <= accuracy * np.linalg.norm(update)


@pytest.mark.parametrize("policy", ["float32", "mixed_float16"])
def test_two_devices_have_the_same_state_after_every_step(two, tiny_images, policy):
    with two.scope():
        model = build(policy)  # with batch normalization
    start = copies(model, 0)
    seen = []

    class Collect(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            seen.append(logs)
            assert same(copies(self.model, 0), copies(self.model, 1))

    model.fit(
        distributed_batches(two, *tiny_images, CLASSES, 16, LATENT, 0),
        steps_per_epoch=3,
        verbose=0,
        shuffle=False,
        callbacks=[Collect()],
    )
    assert [sorted(step) for step in seen] == [sorted(LOSSES)] * 3
    assert all(type(value) is float for step in seen for value in step.values())
    assert not same(start, copies(model, 0))


def test_moving_statistics_are_means_over_the_devices(two, tiny_images):
    batch = a_batch(tiny_images)
    halves = [{name: rows[i : i + 8] for name, rows in batch.items()} for i in (0, 8)]
    expected = []
    for half in halves:
        alone = build()
        alone.compute_gradients(half)
        expected.append([v.numpy() for v in alone.generator.non_trainable_variables])
    with two.scope():
        model = build()
    on_both(two, model.train_step, batch)
    statistics = model.generator.non_trainable_variables
    for variable, first, second in zip(statistics, *expected, strict=True):
        for copy in variable.value.values:
            np.testing.assert_allclose(copy.numpy(), (first + second) / 2, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("bad", [0, 1])
def test_an_inf_on_one_device_makes_both_skip(two, tiny_images, bad):
    with two.scope():
        model = build_dense("mixed_float16")
    batch = {name: rows.numpy() for name, rows in a_batch(tiny_images).items()}
    good = {name: rows.copy() for name, rows in batch.items()}
    batch["latent"][8 * bad] = np.inf
    optimizers = (model.generator_optimizer, model.discriminator_optimizer)

    def state():
        weights = [[c.numpy() for c in v.value.values] for v in model.trainable_variables]
        scales = [[float(c) for c in o.dynamic_scale.value.values] for o in optimizers]
        return weights, scales, [int(o.iterations.value.numpy()) for o in optimizers]

    weights, scales, steps = state()
    assert (scales, steps) == ([[2.0**15, 2.0**15]] * 2, [0, 0])
    on_both(two, model.train_step, batch)
    weights_then, scales, steps = state()
    assert all(map(same, weights, weights_then))
    assert (scales, steps) == ([[2.0**14, 2.0**14]] * 2, [0, 0])
    on_both(two, model.train_step, good)
    weights_then, scales, steps = state()
    assert not any(map(same, weights, weights_then))
    assert (scales, steps) == ([[2.0**14, 2.0**14]] * 2, [1, 1])


def test_the_state_of_one_device_goes_to_two_and_back(two, tiny_images):
    one = build("mixed_float16")
    one.fit(
        batches(*tiny_images, CLASSES, 16, LATENT, 0), steps_per_epoch=3, verbose=0, shuffle=False
    )
    with two.scope():
        model = build("mixed_float16", seed=9)
    arrays = get_arrays(one)
    set_arrays(model, arrays, source="there")
    assert same(copies(model, 0), copies(model, 1))
    assert same(get_arrays(model).values(), arrays.values())


@pytest.mark.parametrize(
    "setting", [{"jit_compile": True}, {"steps_per_execution": 2}], ids=lambda s: next(iter(s))
)
def test_what_keras_cant_do_on_several_devices_is_refused(two, setting):
    with two.scope():
        model = build()
        with pytest.raises(ValueError, match=f"{next(iter(setting))}=.*several devices: leave it"):
            model.compile(keras.optimizers.SGD(), keras.optimizers.SGD(), **setting)
        model.compile(keras.optimizers.SGD(), keras.optimizers.SGD())
    assert model.jit_compile is False
