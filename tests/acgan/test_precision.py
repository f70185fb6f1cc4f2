import keras
import numpy as np
import pytest
import tensorflow as tf

from acgan.precision import (
    LossScaleOptimizer,
    advice,
    resolve_policy,
    scaled_optimizer,
)

INF = float("inf")
FEATURELESS_CPU = {
    "device": "CPU",
    "cpu_name": "Some CPU",
    "cpu_features": ["avx2"],
    "gpu_name": None,
    "compute_capability": None,
}


def built(variable, **arguments):
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0), **arguments)
    optimizer.build([variable])
    return optimizer


def scale_of(optimizer):
    return float(keras.ops.convert_to_numpy(optimizer.dynamic_scale.value))


def test_gradients_are_divided_by_the_scale():
    variable = keras.Variable([1.0, 2.0])
    optimizer = built(variable, initial_scale=8.0)
    assert float(optimizer.scale_loss(tf.constant(3.0))) == 3 * 8
    optimizer.apply([tf.constant([4.0, 8.0])], [variable])
    assert variable.numpy().tolist() == [1 - 4 / 8, 2 - 8 / 8]


def test_a_bad_step_is_skipped_and_halves_the_scale():
    variable = keras.Variable([1.0, 2.0])
    optimizer = built(variable, initial_scale=8.0)
    optimizer.apply([tf.constant([1.0, INF])], [variable])
    assert variable.numpy().tolist() == [1, 2]
    assert scale_of(optimizer) == 8 / 2
    assert int(optimizer.iterations.numpy()) == 0


def test_inf_in_a_sparse_gradient_is_seen_though_a_later_row_is_finite():
    # Both rows belong to index 0: merged row by row, the second would hide the first.
    gradient = tf.IndexedSlices(tf.constant([[INF, 1.0], [2.0, 3.0]]), tf.constant([0, 0]), [2, 2])
    variable = keras.Variable([[1.0, 1.0], [1.0, 1.0]])
    optimizer = built(variable, initial_scale=8.0)
    optimizer.apply([gradient], [variable])
    assert variable.numpy().tolist() == [[1, 1], [1, 1]]
    assert scale_of(optimizer) == 4


def test_finite_sparse_gradients_are_applied():
    gradient = tf.IndexedSlices(tf.constant([[8.0, 0.0], [8.0, 16.0]]), tf.constant([0, 1]), [2, 2])
    variable = keras.Variable([[1.0, 1.0], [1.0, 1.0]])
    built(variable, initial_scale=8.0).apply([gradient], [variable])
    assert variable.numpy().tolist() == [[1 - 8 / 8, 1], [1 - 8 / 8, 1 - 16 / 8]]


@pytest.mark.parametrize("compiled", [False, True], ids=["graph", "jit"])
def test_the_embedding_case_within_a_compiled_function(compiled):
    embedding = keras.layers.Embedding(3, 2)
    embedding.build()
    before = embedding.embeddings.numpy()
    optimizer = built(embedding.embeddings, initial_scale=8.0)

    @tf.function(jit_compile=compiled)
    def step(factors):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(embedding(tf.constant([1, 1])) * factors)
        optimizer.apply(tape.gradient(loss, [embedding.embeddings]), [embedding.embeddings])

    step(tf.constant([[INF, 1.0], [2.0, 3.0]]))
    assert np.array_equal(embedding.embeddings.numpy(), before)
    assert scale_of(optimizer) == 4


def test_sixty_bad_steps_leave_the_scale_at_its_floor():
    variable = keras.Variable([1.0])
    optimizer = built(variable)
    for _ in range(60):
        optimizer.apply([tf.constant([INF])], [variable])
    assert scale_of(optimizer) == 1
    optimizer.apply([tf.constant([0.25])], [variable])
    assert variable.numpy().tolist() == [0.75]


def test_the_scale_grows_up_to_its_cap():
    variable = keras.Variable([1.0])
    optimizer = built(variable, initial_scale=4.0, dynamic_growth_steps=2, maximum_scale=16.0)
    scales = []
    for _ in range(8):
        optimizer.apply([tf.constant([0.0])], [variable])
        scales.append(scale_of(optimizer))
    assert scales == [4, 8, 8, 16, 16, 16, 16, 16]


def test_a_bad_step_starts_the_count_of_finite_ones_anew():
    variable = keras.Variable([1.0])
    optimizer = built(variable, initial_scale=8.0, dynamic_growth_steps=2)
    scales = []
    for gradient in (0.0, INF, 0.0, 0.0):
        optimizer.apply([tf.constant([gradient])], [variable])
        scales.append(scale_of(optimizer))
    assert scales == [8, 4, 4, 8]


def test_a_constant_scale_stays_and_still_skips_bad_steps():
    variable = keras.Variable([1.0])
    optimizer = scaled_optimizer(keras.optimizers.SGD(1.0), "mixed_float16", loss_scale=128.0)
    optimizer.build([variable])
    optimizer.dynamic_growth_steps = 1
    for gradient in (INF, 64.0):
        optimizer.apply([tf.constant([gradient])], [variable])
        assert scale_of(optimizer) == 128
    assert variable.numpy().tolist() == [1 - 64 / 128]


@pytest.fixture
def two_replicas():
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


@pytest.mark.parametrize("bad_replica", [0, 1])
def test_inf_on_either_replica_makes_both_skip(two_replicas, bad_replica):
    with two_replicas.scope():
        variable = keras.Variable([1.0])
        optimizer = built(variable, initial_scale=8.0)

    @tf.function
    def step(bad):
        def in_replica():
            replica = tf.distribute.get_replica_context().replica_id_in_sync_group
            gradient = tf.where(tf.equal(replica, bad), INF, 4.0)
            optimizer.apply([tf.reshape(gradient, [1])], [variable])

        two_replicas.run(in_replica)

    step(tf.constant(bad_replica))
    assert variable.numpy().tolist() == [1.0]
    assert scale_of(optimizer) == 8 / 2
    step(tf.constant(-1))  # no replica: each adds 4 / the scale of 4
    assert variable.numpy().tolist() == [1.0 - 2 * 4 / 4]
    assert scale_of(optimizer) == 4


def test_configuration_round_trip():
    optimizer = LossScaleOptimizer(
        keras.optimizers.Adam(1e-3), 64.0, 7, minimum_scale=2.0, maximum_scale=128.0
    )
    copy = keras.optimizers.deserialize(keras.optimizers.serialize(optimizer))
    assert type(copy) is LossScaleOptimizer
    assert copy.get_config() == optimizer.get_config()


@pytest.mark.parametrize(
    "scales", [(0, 1, 2), (2, 1, 4), (1, 8, 4), (1, 2, INF), (-1, 1, 2)], ids=str
)
def test_impossible_ranges_are_refused(scales):
    minimum, initial, maximum = scales
    with pytest.raises(ValueError, match="minimum_scale"):
        LossScaleOptimizer(
            keras.optimizers.SGD(), initial, minimum_scale=minimum, maximum_scale=maximum
        )


@pytest.mark.parametrize(
    ("capability", "name", "expected"),
    [
        ("7.0", "Tesla V100-SXM2-16GB", "mixed_float16"),
        ("7.5", "Tesla T4", "mixed_float16"),
        ("9.0", "NVIDIA H100 80GB HBM3", "mixed_float16"),
        ("6.0", "Tesla P100-PCIE-16GB", "float32"),
        ("7.5", "NVIDIA GeForce GTX 1650", "float32"),
        (None, None, "float32"),
    ],
)
def test_auto_means_float16_only_on_tensor_cores(capability, name, expected):
    hardware = {"compute_capability": capability, "gpu_name": name}
    assert resolve_policy("auto", hardware) == expected


def test_a_policy_that_is_named_is_kept():
    assert resolve_policy("mixed_bfloat16", FEATURELESS_CPU) == "mixed_bfloat16"


@pytest.mark.parametrize(
    ("policy", "features", "instead"),
    [
        ("mixed_float16", ["avx2"], "--policy=float32"),
        ("mixed_float16", ["avx512_bf16"], "--policy=mixed_bfloat16"),
        ("mixed_bfloat16", ["avx2"], "--policy=float32"),
    ],
)
def test_slow_hardware_is_warned_of_with_a_way_out(policy, features, instead):
    line = advice(policy, {**FEATURELESS_CPU, "cpu_features": features})
    assert "Some CPU" in line
    assert policy in line
    assert instead in line


@pytest.mark.parametrize(
    ("policy", "features"),
    [("float32", ["avx2"]), ("mixed_bfloat16", ["avx512_bf16"])],
)
def test_hardware_that_fits_is_not_warned_of(policy, features):
    assert advice(policy, {**FEATURELESS_CPU, "cpu_features": features}) is None


@pytest.mark.parametrize(
    ("name", "capability", "policy", "parts"),
    [
        ("Tesla P100-PCIE-16GB", "6.0", "mixed_float16", ["no Tensor Cores", "no gain"]),
        ("Tesla T4", "7.5", "mixed_bfloat16", ["no gain", "--policy=mixed_float16"]),
    ],
)
def test_gpus_that_gain_nothing_are_named(name, capability, policy, parts):
    hardware = {"device": "GPU", "gpu_name": name, "compute_capability": capability}
    line = advice(policy, {**FEATURELESS_CPU, **hardware})
    for part in (name, *parts):
        assert part in line


def test_gpus_with_tensor_cores_are_not_warned_of():
    hardware = {"device": "GPU", "gpu_name": "Tesla T4", "compute_capability": "7.5"}
    assert advice("mixed_float16", {**FEATURELESS_CPU, **hardware}) is None


@pytest.mark.parametrize("policy", ["float32", "mixed_bfloat16"])
def test_other_policies_scale_no_loss(policy):
    optimizer = keras.optimizers.SGD()
    assert scaled_optimizer(optimizer, policy) is optimizer
