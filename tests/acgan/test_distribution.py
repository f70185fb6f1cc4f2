import dataclasses

import keras
import numpy as np
import pytest
import tensorflow as tf

from acgan.distribution import Distribution, resolve, share
from acgan.errors import UserError
from acgan.workers.cluster import Cluster, Worker

TWO = ("CPU:0", "CPU:1")
MACHINES = Cluster(tuple(Worker("worker", index, "host", 1 + index) for index in range(3)), 2)


@pytest.mark.parametrize(
    ("distribute", "devices"),
    [("auto", ()), ("auto", ("CPU:0",)), ("none", TWO), ("multi_worker", ())],
)
def test_one_device_needs_no_strategy(distribute, devices):
    distribution = resolve(distribute, None, 7, jit_compile=True, devices=devices)
    assert distribution == Distribution(None, 1, 1, 0, 1)
    assert distribution.is_chief
    with distribution.scope():
        assert not tf.distribute.has_strategy()


@pytest.mark.parametrize("distribute", ["auto", "mirrored", "multi_worker"])
def test_several_local_devices_mirror(distribute):
    distribution = resolve(distribute, None, 8, devices=TWO)
    assert isinstance(distribution.strategy, tf.distribute.MirroredStrategy)
    assert distribution.strategy.num_replicas_in_sync == 2
    assert (distribution.replicas, distribution.local_replicas) == (2, 2)
    assert (distribution.first_replica, distribution.workers) == (0, 1)
    assert distribution.is_chief
    with distribution.scope():
        assert tf.distribute.get_strategy() is distribution.strategy


def test_machines_number_their_replicas_one_after_the_other(monkeypatch):
    # Made before TensorFlow has done anything else, the real one can't be made in this process.
    monkeypatch.setattr(tf.distribute, "MultiWorkerMirroredStrategy", lambda: "the strategy")
    distribution = resolve("auto", MACHINES, 12, devices=("GPU:0", "GPU:1"))
    assert distribution == Distribution("the strategy", 3 * 2, 2, 2 * 2, 3)
    assert not distribution.is_chief
    without_gpus = resolve("multi_worker", MACHINES, 12, devices=())
    assert without_gpus == Distribution("the strategy", 3, 1, 2, 3)


@pytest.mark.parametrize("devices", [(), ("GPU:0",)])
def test_mirroring_needs_several_gpus(devices):
    with pytest.raises(UserError, match=rf"--distribute=mirrored .* sees {len(devices)}: leave"):
        resolve("mirrored", None, 8, devices=devices)


def test_xla_is_refused_on_several_devices():
    with pytest.raises(UserError, match=r"--jit_compile can't be used on 2 devices: leave it out"):
        resolve("auto", None, 8, jit_compile=True, devices=TWO)


def test_a_batch_that_cant_be_shared_is_refused():
    with pytest.raises(UserError, match=r"--batch_size=9 .* by 2 devices: choose 8 or 10"):
        resolve("auto", None, 9, devices=TWO)


@pytest.mark.parametrize(
    ("batch_size", "replicas", "sizes"), [(1, 4, "4"), (10, 4, "8 or 12"), (15, 4, "12 or 16")]
)
def test_the_nearest_sizes_are_named(batch_size, replicas, sizes):
    with pytest.raises(UserError, match=rf"--batch_size={batch_size} .*: choose {sizes}$"):
        share(batch_size, replicas)
    assert share(12, 4) == 3


def test_one_process_decides_for_itself():
    assert Distribution().any_worker(False, True) == (False, True)
    assert resolve("auto", None, 2, devices=TWO).any_worker(True) == (True,)


def test_the_first_replica_s_values_go_everywhere():
    distribution = dataclasses.replace(resolve("auto", None, 2, devices=TWO), workers=2)
    values = np.float32([np.nextafter(1, 2, dtype=np.float32), -3e-45, -0.0, np.inf, 3e38])
    with distribution.scope():
        weights = keras.Variable(values, name="weights")
        count = keras.Variable(2**31 - 1, dtype="int32", name="count")
    weights.value.values[1].assign([np.nan] * 5)
    count.value.values[1].assign(7)
    distribution.copy_from_chief([weights, count])
    for replica in range(2):
        assert weights.value.values[replica].numpy().tobytes() == values.tobytes()
        assert count.value.values[replica].numpy() == 2**31 - 1
