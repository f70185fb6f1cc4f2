"""Every fast layer against Keras' own, which it must equal but for rounding."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

from acgan.fast_layers import with_fast_layers
from acgan.fast_layers.convolution import spread, spread_by_phases
from acgan.fast_layers.dense import BATCHES, WAY
from acgan.networks import NETWORKS, build_discriminator, build_generator
from callbacks import hardware

SHAPE = (8, 8, 3)


def network(layer, shape=SHAPE):
    keras.utils.set_random_seed(3)
    inputs = keras.Input(shape)
    return keras.Model(inputs, layer(inputs))


def trained_once(model, batch, jit_compile=False):
    """Outputs, gradients and weights after a training pass of a network."""
    inputs = tf.constant(batch)

    @tf.function(jit_compile=jit_compile)
    def run():
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            outputs = model(inputs, training=True)
            values = tf.cast(outputs, "float32")
            loss = tf.reduce_sum(values**2 * 0.5 + tf.sin(values))
        return outputs, tape.gradient(loss, [inputs, *model.trainable_variables])

    outputs, gradients = run()
    arrays = [outputs, *gradients, *(v.value for v in model.non_trainable_variables)]
    return [tf.cast(a, "float32").numpy() for a in arrays]


def assert_same(fast, plain, batch, jit_compile=False, **tolerance):
    """That a training pass of both gives the same; the tolerance as for `assert_allclose`."""
    found, expected = trained_once(fast, batch, jit_compile), trained_once(plain, batch)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, **tolerance)


def is_fast(layer):
    return bool({"call", "convolution_op"} & set(vars(layer)))


def images(shape=SHAPE, batch=5):
    return np.random.default_rng(1).normal(0.5, 2, (batch, *shape)).astype(np.float32)


FAST = {
    "normalized images": (layers.BatchNormalization, {"momentum": 0.7, "epsilon": 1e-5}, SHAPE),
    "normalized vectors": (layers.BatchNormalization, {"momentum": 0.9}, (6,)),
    "leaky": (layers.LeakyReLU, {"negative_slope": 0.2}, SHAPE),
    "convolution": (layers.Conv2D, {"filters": 5, "kernel_size": 4, "strides": 2}, SHAPE),
    "wide stride": (layers.Conv2D, {"filters": 5, "kernel_size": 8, "strides": 4}, SHAPE),
    "odd stride": (layers.Conv2D, {"filters": 2, "kernel_size": 6, "strides": 3}, (9, 6, 1)),
    "oblong": (layers.Conv2D, {"filters": 5, "kernel_size": 4, "strides": 2}, (6, 10, 1)),
    "many channels": (layers.Conv2D, {"filters": 5, "kernel_size": 4, "strides": 2}, (6, 4, 9)),
    "many channels, wide stride": (
        layers.Conv2D,
        {"filters": 2, "kernel_size": 8, "strides": 4},
        (12, 8, 5),
    ),
    "many channels, odd stride": (
        layers.Conv2D,
        {"filters": 2, "kernel_size": 6, "strides": 3},
        (9, 6, 5),
    ),
    "many channels, transposed": (
        layers.Conv2DTranspose,
        {"filters": 6, "kernel_size": 4, "strides": 2},
        (3, 5, 7),
    ),
    "transposed": (
        layers.Conv2DTranspose,
        {"filters": 3, "kernel_size": 4, "strides": 2, "bias_initializer": "ones"},
        (6, 4, 7),
    ),
    "transposed, active": (
        layers.Conv2DTranspose,
        {"filters": 1, "kernel_size": 4, "strides": 2, "use_bias": False, "activation": "tanh"},
        (5, 5, 7),
    ),
}
PADDED = (layers.Conv2D, layers.Conv2DTranspose)


def pair(kind, arguments, shape, dtype="float32"):
    if kind in PADDED:
        arguments = {"padding": "same", **arguments}
    plain = network(kind(**arguments, dtype=dtype), shape)
    fast = with_fast_layers(network(kind(**arguments, dtype=dtype), shape))
    return plain, fast


@pytest.mark.parametrize("jit_compile", [False, True])
@pytest.mark.parametrize("name", FAST)
def test_outputs_gradients_and_statistics_are_those_of_keras(name, jit_compile):
    kind, arguments, shape = FAST[name]
    plain, fast = pair(kind, arguments, shape)
    assert is_fast(fast.layers[-1]) and not is_fast(plain.layers[-1])
    assert_same(fast, plain, images(shape), jit_compile, rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("policy, precision", [("mixed_bfloat16", 2**-7), ("mixed_float16", 2**-9)])
@pytest.mark.parametrize("name", FAST)
def test_reduced_precision_is_that_of_keras(name, policy, precision):
    kind, arguments, shape = FAST[name]
    plain, fast = pair(kind, arguments, shape, policy)
    for ours, theirs in zip(
        trained_once(fast, images(shape)), trained_once(plain, images(shape)), strict=True
    ):
        scale = np.abs(theirs).max()
        np.testing.assert_allclose(ours, theirs, atol=4 * precision * scale)


@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_normalization_keeps_the_compute_dtype(policy):
    _, fast = pair(layers.BatchNormalization, {}, SHAPE, policy)
    outputs = fast(images(), training=True)
    assert outputs.dtype == keras.DTypePolicy(policy).compute_dtype


def test_a_batch_of_one_vector_has_no_variance():
    plain, fast = pair(layers.BatchNormalization, {}, (4,))
    assert_same(fast, plain, images((4,), 1), atol=1e-6)


def test_outside_of_training_keras_own_normalization_computes():
    plain, fast = pair(layers.BatchNormalization, {}, SHAPE)
    for model in (plain, fast):
        model.layers[-1].moving_mean.assign([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(fast(images()), plain(images()))


def test_a_frozen_normalization_keeps_its_statistics():
    _, fast = pair(layers.BatchNormalization, {}, SHAPE)
    fast.layers[-1].trainable = False
    fast(images(), training=True)
    np.testing.assert_array_equal(fast.layers[-1].moving_mean, np.zeros(3))


SLOW = {
    "no center": (layers.BatchNormalization, {"center": False}),
    "renormalized": (layers.BatchNormalization, {"renorm": True}),
    "no slope": (layers.LeakyReLU, {"negative_slope": 0.0}),
    "uneven": (layers.Conv2D, {"filters": 2, "kernel_size": 3, "strides": 2, "padding": "same"}),
    "valid": (layers.Conv2D, {"filters": 2, "kernel_size": 4, "strides": 2}),
    "dilated": (layers.Conv2D, {"filters": 2, "kernel_size": 2, "dilation_rate": 2}),
}


@pytest.mark.parametrize("name", SLOW)
def test_what_the_kernels_do_not_serve_is_left_alone(name):
    kind, arguments = SLOW[name]
    model = with_fast_layers(network(kind(**arguments)))
    assert not is_fast(model.layers[-1])


@pytest.mark.parametrize("axis, shape", [(1, (3, 8, 8)), (-1, (4, 4, 4, 2)), (-1, (5, 2))])
def test_normalization_along_other_axes_is_that_of_keras(axis, shape):
    plain, fast = pair(layers.BatchNormalization, {"axis": axis}, shape)
    assert_same(fast, plain, images(shape), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(7, 8, 1), (8, 9, 5)])
def test_images_that_do_not_fit_take_keras_own_convolution(shape):
    arguments = {"filters": 2, "kernel_size": 4, "strides": 2}
    plain, fast = pair(layers.Conv2D, arguments, shape)
    assert_same(fast, plain, images(shape), rtol=1e-4, atol=2e-5)


def test_images_of_any_size_go_through():
    shape = (None, None, 1)
    plain = network(layers.Conv2DTranspose(1, 4, 2, "same"), shape)
    fast = with_fast_layers(network(layers.Conv2DTranspose(1, 4, 2, "same"), shape))

    @tf.function(input_signature=[tf.TensorSpec((None, *shape))])
    def run(values):
        return fast(values), plain(values)

    ours, theirs = run(images((6, 4, 1)))
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize("channels", [1, 6])
def test_batches_of_any_size_have_gradients(channels):
    plain, fast = pair(layers.Conv2D, FAST["convolution"][1], (6, 6, channels))

    @tf.function(input_signature=[tf.TensorSpec((None, 6, 6, channels))])
    def gradients(values):
        found = []
        for model in (fast, plain):
            with tf.GradientTape() as tape:
                tape.watch(values)
                loss = tf.reduce_sum(model(values) ** 2)
            found.append(tape.gradient(loss, [values, *model.trainable_variables]))
        return found

    for batch in (1, 5):
        for ours, theirs in zip(*gradients(images((6, 6, channels), batch)), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("side", [32, 34])
def test_small_and_large_features_have_the_gradients_of_keras(side):
    plain, fast = pair(layers.Conv2D, FAST["convolution"][1], (side, side, 5))
    assert_same(fast, plain, images((side, side, 5), 2), rtol=1e-4, atol=1e-3)


@pytest.fixture
def avx2(monkeypatch):
    monkeypatch.setattr(hardware, "_cpu", lambda: ("A CPU", ["avx2"]))


DENSE = {
    "in batches": ({"units": WAY}, BATCHES[0]),
    "active": ({"units": 2 * WAY, "activation": "tanh"}, BATCHES[-1]),
    "no bias": ({"units": 3 * WAY, "use_bias": False}, BATCHES[0] + 1),
    "too few for it": ({"units": WAY}, BATCHES[0] - 1),
    "too many for it": ({"units": WAY}, BATCHES[-1] + 1),
}


@pytest.mark.parametrize("jit_compile", [False, True])
@pytest.mark.parametrize("name", DENSE)
def test_dense_layers_are_those_of_keras(name, jit_compile, avx2):
    arguments, batch = DENSE[name]
    plain, fast = pair(layers.Dense, {"bias_initializer": "ones", **arguments}, (7,))
    assert is_fast(fast.layers[-1]) and not is_fast(plain.layers[-1])
    assert_same(fast, plain, images((7,), batch), jit_compile, rtol=1e-4, atol=2e-4)


@pytest.mark.parametrize("batch, padded", [(63, 0), (64, 1), (511, 1), (512, 0)])
def test_weights_are_padded_where_that_was_faster(batch, padded, avx2):
    _, fast = pair(layers.Dense, {"units": WAY}, (7,))
    graph = tf.function(fast).get_concrete_function(tf.TensorSpec((batch, 7))).graph
    assert [op.type for op in graph.get_operations()].count("Pad") == padded


def test_dense_layers_take_more_than_vectors(avx2):
    plain, fast = pair(layers.Dense, {"units": WAY}, (3, 7))
    assert_same(fast, plain, images((3, 7), 64), rtol=1e-4, atol=2e-4)


@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_dense_layers_in_reduced_precision_are_keras_own(policy, avx2):
    plain, fast = pair(layers.Dense, {"units": WAY}, (7,), policy)
    batch = images((7,), 64)
    np.testing.assert_array_equal(fast(batch), plain(batch))


@pytest.mark.parametrize("features, units", [(["avx2"], WAY + 1), (["avx2", "avx512f"], WAY)])
def test_other_dense_layers_are_left_alone(monkeypatch, features, units):
    monkeypatch.setattr(hardware, "_cpu", lambda: ("A CPU", features))
    _, fast = pair(layers.Dense, {"units": units}, (7,))
    assert not is_fast(fast.layers[-1])


def test_spread_by_hand():
    kernel = np.arange(16, dtype=np.float32).reshape(4, 4, 1, 1)
    one = spread(tf.ones((1, 1, 1, 1)), tf.constant(kernel))
    # The kernel's middle: its border lies outside of the image.
    np.testing.assert_array_equal(one[0, :, :, 0], [[5, 6], [9, 10]])


@pytest.mark.parametrize("stride", [2, 3, 4])
def test_both_ways_to_spread_are_one(stride):
    random = np.random.default_rng(0)
    features = tf.constant(random.normal(size=(2, 3, 2, 5)), "float32")
    kernel = tf.constant(random.normal(size=(2 * stride, 2 * stride, 3, 5)), "float32")
    np.testing.assert_allclose(
        spread_by_phases(features, kernel), spread(features, kernel), rtol=1e-4, atol=1e-5
    )


def test_on_a_gpu_convolutions_and_dense_layers_are_keras_own(monkeypatch, avx2):
    monkeypatch.setattr(tf.config, "list_physical_devices", lambda kind: [kind])
    monkeypatch.setattr(tf.config.experimental, "get_device_details", lambda device: {})
    for name in ("convolution", "transposed"):
        _, fast = pair(*FAST[name])
        assert not is_fast(fast.layers[-1])
    _, fast = pair(layers.Dense, {"units": WAY}, (7,))
    assert not is_fast(fast.layers[-1])


def test_a_class_derived_from_a_layer_is_left_alone():
    class Own(layers.LeakyReLU):
        pass

    assert not is_fast(with_fast_layers(network(Own())).layers[-1])


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_are_saved_as_plain_keras(name, tmp_path):
    generator = build_generator(name, (8, 8, 1), 3, 4, 8)
    path = str(tmp_path / "generator.keras")
    with_fast_layers(generator).save(path)
    loaded = keras.saving.load_model(path)
    assert not any(map(is_fast, loaded.layers))
    inputs = [images((4,), 2), np.array([0, 2])]
    np.testing.assert_allclose(loaded(inputs), generator(inputs), atol=1e-6)


@pytest.mark.parametrize("name", NETWORKS)
def test_each_network_has_every_such_layer_sped_up(name):
    generator = with_fast_layers(build_generator(name, (8, 8, 1), 3, 4, 8))
    discriminator = with_fast_layers(build_discriminator(name, (8, 8, 1), 3, 8))
    for layer in [*generator.layers, *discriminator.layers]:
        if isinstance(layer, (layers.BatchNormalization, layers.LeakyReLU)):
            assert is_fast(layer), layer.name
    convolutions = [e for e in discriminator.layers if isinstance(e, layers.Conv2D)]
    assert is_fast(convolutions[0])
    assert is_fast([e for e in generator.layers if isinstance(e, layers.Conv2DTranspose)][-1])
