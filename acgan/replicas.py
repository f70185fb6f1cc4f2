"""What the replicas of a training step have to share, from within a `tf.distribute` strategy.

Without a strategy there is one replica, and nothing here adds an operation to the step.
"""

import tensorflow as tf


def replica_count():
    """How many replicas train, on all machines."""
    return tf.distribute.get_strategy().num_replicas_in_sync


def spans_processes():
    """Whether some of the replicas are in other processes."""
    count = replica_count()
    return count > 1 and count > len(tf.distribute.get_strategy().extended.worker_devices)


def means_over_replicas(values):
    """Means of float tensors or variables over all replicas, everywhere the same to the last bit.

    All processes have to call this in the same step.
    """
    if replica_count() == 1:
        return list(values)
    tensors = [tf.convert_to_tensor(value) for value in values]
    # One vector, since several small reductions take longer than one.
    vector = tf.concat([tf.reshape(tensor, [-1]) for tensor in tensors], 0)
    context = tf.distribute.get_replica_context()
    means = tf.split(
        context.all_reduce(tf.distribute.ReduceOp.MEAN, vector),
        [tensor.shape.num_elements() for tensor in tensors],
    )
    return [tf.reshape(mean, tensor.shape) for mean, tensor in zip(means, tensors, strict=True)]
