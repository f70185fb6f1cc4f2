"""The AC-GAN's losses, from logits, in float32.

They are plain means over the batch they are given. The `keras.losses` objects are not used because
inside a distribution strategy they divide by the replica count, and reported values then look
smaller than they are.
"""

from keras import ops


def source_loss(logits, real):
    """Cross-entropy of "real or generated" for a batch that is all one or all the other.

    Arguments:
        logits: float32 [batch, 1], positive where the discriminator says "real".
        real: whether "real" is the right answer (a generator's loss asks for it, too).

    Returns:
        A float32 scalar, in nats. `softplus` is used since it neither overflows for large logits
        nor loses small probabilities.
    """
    return ops.mean(ops.softplus(-logits if real else logits))


def class_loss(labels, logits):
    """Cross-entropy of the class head.

    Arguments:
        labels: int32 [batch], values 0..classes-1.
        logits: float32 [batch, classes].

    Returns:
        A float32 scalar, in nats.
    """
    return ops.mean(ops.sparse_categorical_crossentropy(labels, logits, from_logits=True))
