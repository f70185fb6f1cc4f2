import pytest
import tensorflow as tf

from acgan.distribution import resolve
from acgan.replicas import means_over_replicas, replica_count, spans_processes


@pytest.fixture
def two():
    return resolve("mirrored", None, 2, devices=("CPU:0", "CPU:1")).strategy


def test_one_replica_keeps_its_values_as_they_are():
    value = tf.constant([1.0])
    assert replica_count() == 1
    assert not spans_processes()
    assert means_over_replicas([value])[0] is value


def test_two_replicas_have_the_mean(two):
    with two.scope():
        variable = tf.Variable([5.0])

    def in_replica():
        number = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
        return means_over_replicas([number, [[number, 4.0], [1.0, 10 * number]], variable])

    scalar, matrix, vector = tf.function(lambda: two.run(in_replica))()
    for replica in range(2):
        parts = [two.experimental_local_results(part)[replica] for part in (scalar, matrix, vector)]
        assert parts[0].numpy() == (0 + 1) / 2
        assert parts[1].numpy().tolist() == [[(0 + 1) / 2, 4], [1, (0 + 10) / 2]]
        assert parts[2].numpy().tolist() == [5]


def test_replicas_of_one_process_are_counted(two):
    with two.scope():
        assert replica_count() == 2
        assert not spans_processes()
