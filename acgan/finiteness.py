"""Whether everything that a model learns is finite, and where its loss scales stand."""

from dataclasses import dataclass

import numpy as np
import tensorflow as tf
from keras import ops


@dataclass(frozen=True)
class ScaleReading:
    """A loss-scaling optimizer at a step.

    Attributes:
        scale: the loss scale.
        lowest: below which it does not fall, or is of no use.
        updates: steps that were not skipped.
        in_a_row: of them since the last skipped step, or since the scale last grew.
    """

    scale: float
    lowest: float
    updates: int
    in_a_row: int

    @property
    def is_at_lowest(self):
        return self.scale <= self.lowest

    @property
    def is_after_skip(self):
        return self.in_a_row == 0


def reader(model, scaled_optimizers):
    """A function that reads a model's state from the device as often as it is called.

    One truth value for all variables leaves the device, so that a reading costs a look at the
    device's own memory and no copy.

    Arguments:
        model: a compiled `acgan.model.ACGAN`.
        scaled_optimizers: `keras.optimizers.LossScaleOptimizer` by name.

    Returns:
        `read()` gives (whether weights, batch-norm statistics and optimizer slots are all finite,
        a `ScaleReading` for each name).
    """
    variables = [variable for _, variable in _variables(model)]
    optimizers = list(scaled_optimizers.values())
    # Keras' own optimizer has no lowest scale; below 1 it shrinks what is too small already.
    lowest = [getattr(optimizer, "minimum_scale", 1.0) for optimizer in optimizers]

    @tf.function
    def on_device():
        finite = [tf.reduce_all(tf.math.is_finite(variable.value)) for variable in variables]
        scales = [tf.identity(optimizer.dynamic_scale.value) for optimizer in optimizers]
        # Not `iterations`, which counts whole rounds if gradients are accumulated.
        updates = [tf.identity(o.inner_optimizer.variables[0].value) for o in optimizers]
        in_a_row = [tf.identity(optimizer.step_counter.value) for optimizer in optimizers]
        return tf.reduce_all(tf.stack(finite)), scales, updates, in_a_row

    def read():
        finite, *numbers = on_device()
        readings = [
            ScaleReading(float(scale), least, int(updates), int(in_a_row))
            for least, scale, updates, in_a_row in zip(lowest, *numbers, strict=True)
        ]
        return bool(finite), dict(zip(scaled_optimizers, readings, strict=True))

    return read


def not_finite(model):
    """Names of the variables with a value that is not finite, such as "generator/dense/kernel".

    Copies everything to the host: for a message, once something is wrong.
    """
    values = ((name, ops.convert_to_numpy(v.value)) for name, v in _variables(model))
    return [name for name, value in values if not np.isfinite(value).all()]


def _variables(model):
    """Name and variable of all floating-point numbers that steps change, weights first."""
    for part in ("generator", "discriminator", "generator_optimizer", "discriminator_optimizer"):
        for variable in getattr(model, part).variables:
            if "float" in variable.dtype:
                yield f"{part}/{variable.path.removeprefix(part + '/')}", variable
