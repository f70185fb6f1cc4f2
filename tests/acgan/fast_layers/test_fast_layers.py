"""Every fast layer against Keras' own, which it must equal but for rounding."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

from acgan.fast_layers import dense, with_fast_layers
from acgan.fast_layers.dense import PADDED_BATCHES, TURNED_BATCHES, WAY
from acgan.fast_layers.strided import spread_by_blocks, spread_by_phases
from acgan.networks import NETWORKS, build_discriminator, build_generator
from callbacks import hardware

SHAPE = (8, 8, 3)


def network(layer, shape=SHAPE):
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
    keras.utils.set_random_seed(3)  # before layers are made: they draw their seeds then
    plain = network(kind(**arguments, dtype=dtype), shape)
    fast = with_fast_layers(network(kind(**arguments, dtype=dtype), shape))
    fast.set_weights(plain.get_weights())
    return plain, fast


@pytest.fixture(params=["slow kernels", "fast kernels"])
def kernels(request, monkeypatch):
    """Two CPUs, with slow and with fast kernels for the gradients of convolutions."""
    features = ["avx512_bf16", "avx512f"] if request.param == "fast kernels" else []
    monkeypatch.setattr(hardware, "_cpu", lambda: ("A CPU", features))


@pytest.mark.parametrize("jit_compile", [False, True])
@pytest.mark.parametrize("name", FAST)
def test_outputs_gradients_and_statistics_are_those_of_keras(name, jit_compile, kernels):
    kind, arguments, shape = FAST[name]
    plain, fast = pair(kind, arguments, shape)
    assert is_fast(fast.layers[-1]) and not is_fast(plain.layers[-1])
    assert_same(fast, plain, images(shape), jit_compile, rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("policy, precision", [("mixed_bfloat16", 2**-7), ("mixed_float16", 2**-9)])
@pytest.mark.parametrize("name", FAST)
def test_reduced_precision_is_that_of_keras(name, policy, precision, kernels):
    kind, arguments, shape = FAST[name]
    plain, fast = pair(kind, arguments, shape, policy)
    for ours, theirs in zip(
        trained_once(fast, images(shape)), trained_once(plain, images(shape)), strict=True
    ):
        scale = np.abs(theirs).max()
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=4 * precision * scale)


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
    arguments = {"filters": 1, "kernel_size": 4, "strides": 2}
    plain, fast = pair(layers.Conv2DTranspose, arguments, shape)

    @tf.function(input_signature=[tf.TensorSpec((None, *shape))])
    def run(values):
        return fast(values), plain(values)

    ours, theirs = run(images((6, 4, 1)))
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize("channels", [1, 6])
def test_batches_of_any_size_have_gradients(channels, kernels):
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
def test_small_and_large_features_have_the_gradients_of_keras(side, kernels):
    plain, fast = pair(layers.Conv2D, FAST["convolution"][1], (side, side, 5))
    assert_same(fast, plain, images((side, side, 5), 2), rtol=1e-4, atol=1e-3)


def dense_on(monkeypatch, features, units, batch, policy="float32", **arguments):
    """As `pair`, of layers whose weights count as many, on a CPU with features; and a batch."""
    monkeypatch.setattr(hardware, "_cpu", lambda: ("A CPU", features))
    monkeypatch.setattr(dense, "MANY", 7 * WAY)
    arguments = {"units": units, "bias_initializer": "ones", **arguments}
    return (*pair(layers.Dense, arguments, (7,), policy), images((7,), batch))


AVX2, AVX512 = ["avx2"], ["avx2", "avx512f"]
DENSE = {
    "padded": (AVX2, WAY, PADDED_BATCHES[0]),
    "padded, active": (AVX2, 2 * WAY, PADDED_BATCHES[-1], {"activation": "tanh"}),
    "padded, no bias": (AVX2, 3 * WAY, PADDED_BATCHES[0] + 1, {"use_bias": False}),
    "too few to pad": (AVX2, WAY, PADDED_BATCHES[0] - 1),
    "too many to pad": (AVX2, WAY, PADDED_BATCHES[-1] + 1),
    "turned": (AVX512, WAY, TURNED_BATCHES[0]),
    "turned, active": (AVX512, WAY + 1, TURNED_BATCHES[-1], {"activation": "tanh"}),
    "turned, no bias": (AVX512, WAY, 64, {"use_bias": False}),
    "too few to turn": (AVX512, WAY, TURNED_BATCHES[0] - 1),
    "too many to turn": (AVX512, WAY, TURNED_BATCHES[-1] + 1),
}


@pytest.mark.parametrize("jit_compile", [False, True])
@pytest.mark.parametrize("name", DENSE)
def test_dense_layers_are_those_of_keras(name, jit_compile, monkeypatch):
    features, units, size, *arguments = DENSE[name]
    plain, fast, batch = dense_on(monkeypatch, features, units, size, **dict(*arguments))
    assert is_fast(fast.layers[-1]) and not is_fast(plain.layers[-1])
    assert_same(fast, plain, batch, jit_compile, rtol=1e-4, atol=2e-4)


def operations(model, shape):
    """The kinds of operations of a pass forward and back; some may stand there twice."""

    @tf.function(input_signature=[tf.TensorSpec(shape)])
    def run(values):
        with tf.GradientTape() as tape:
            tape.watch(values)
            outputs = model(values)
        return tape.gradient(outputs, [values, *model.trainable_variables])

    return [op.type for op in run.get_concrete_function().graph.get_operations()]


@pytest.mark.parametrize("batch, padded", [(63, 0), (64, 1), (511, 1), (512, 0)])
def test_weights_are_padded_where_that_was_faster(batch, padded, monkeypatch):
    _, fast, values = dense_on(monkeypatch, AVX2, WAY, batch)
    assert operations(fast, values.shape).count("Pad") == padded


@pytest.mark.parametrize("batch, turned", [(15, 0), (16, 1), (128, 1), (129, 0)])
def test_gradients_are_turned_where_that_was_faster(batch, turned, monkeypatch):
    _, fast, values = dense_on(monkeypatch, AVX512, WAY, batch)
    assert operations(fast, values.shape).count("Transpose") == turned


@pytest.mark.parametrize("features", [AVX2, AVX512])
def test_dense_layers_take_more_than_vectors(features, monkeypatch):
    _ = dense_on(monkeypatch, features, WAY, 64)
    plain, fast = pair(layers.Dense, {"units": WAY}, (3, 7))
    assert_same(fast, plain, images((3, 7), 64), rtol=1e-4, atol=2e-4)


@pytest.mark.parametrize("features", [AVX2, AVX512])
@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_dense_layers_in_reduced_precision_are_keras_own(policy, features, monkeypatch):
    plain, fast, batch = dense_on(monkeypatch, features, WAY, 64, policy)
    np.testing.assert_array_equal(fast(batch), plain(batch))


@pytest.mark.parametrize("features, units", [(AVX2, WAY + 1), (AVX512, WAY - 1)])
def test_other_dense_layers_are_left_alone(features, units, monkeypatch):
    _, fast, _ = dense_on(monkeypatch, features, units, 64)
    assert not is_fast(fast.layers[-1])


BFLOAT16 = ["avx512_bf16", *AVX512]
OF_INPUTS, OF_KERNEL = "Conv2DBackpropInput", "Conv2DBackpropFilter"


@pytest.mark.parametrize(
    "features, policy, side, expected",
    [
        (AVX2, "float32", 32, set()),
        (AVX2, "float32", 34, {OF_KERNEL}),
        (AVX2, "mixed_bfloat16", 34, set()),
        (AVX512, "mixed_bfloat16", 34, set()),
        (AVX512, "float32", 4, {OF_INPUTS, OF_KERNEL}),
        (BFLOAT16, "mixed_bfloat16", 20, {OF_INPUTS}),
        (BFLOAT16, "mixed_bfloat16", 22, {OF_INPUTS, OF_KERNEL}),
        (BFLOAT16, "mixed_float16", 34, set()),
    ],
)
def test_tensorflows_gradients_of_convolutions_are_taken_where_fast(
    features, policy, side, expected, monkeypatch
):
    monkeypatch.setattr(hardware, "_cpu", lambda: ("A CPU", features))
    shape = (side, side, 5)
    _, fast = pair(layers.Conv2D, FAST["convolution"][1], shape, policy)
    assert {OF_INPUTS, OF_KERNEL}.intersection(operations(fast, (2, *shape))) == expected


def test_spread_by_hand():
    kernel = np.arange(16, dtype=np.float32).reshape(4, 4, 1, 1)
    one = spread_by_blocks(tf.ones((1, 1, 1, 1)), tf.constant(kernel))
    # The kernel's middle: its border lies outside of the image.
    np.testing.assert_array_equal(one[0, :, :, 0], [[5, 6], [9, 10]])


@pytest.mark.parametrize("stride", [2, 3, 4])
def test_both_ways_to_spread_are_one(stride):
    random = np.random.default_rng(0)
    features = tf.constant(random.normal(size=(2, 3, 2, 5)), "float32")
    kernel = tf.constant(random.normal(size=(2 * stride, 2 * stride, 3, 5)), "float32")
    np.testing.assert_allclose(
        spread_by_phases(features, kernel), spread_by_blocks(features, kernel), rtol=1e-4, atol=1e-5
    )


def test_on_a_gpu_convolutions_and_dense_layers_are_keras_own(monkeypatch):
    monkeypatch.setattr(hardware, "_cpu", lambda: ("A CPU", AVX2))
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
