"""FLOPs of a model and of its training step, counted from layer shapes, 2 per multiply-add.

Only matrix products count (dense, convolution, attention): what the device's peak rate is about.
TensorFlow's own counter would include gradient nodes that nothing uses.
"""

import contextlib
import math
import threading
from dataclasses import dataclass

import keras
from keras import layers


@dataclass(frozen=True)
class Call:
    """One call of a layer in a forward pass of one example.

    `inputs` and `outputs` are shapes with a leading 1 for the example.
    """

    layer: keras.layers.Layer
    inputs: tuple
    outputs: tuple


@dataclass(frozen=True)
class Passes:
    """How often a training step runs a network, in passes over one batch.

    Arguments:
        network: the `keras.Model`.
        forward: forward passes.
        weight_gradients: backward passes that give gradients of the weights.
        input_gradients: backward passes from layer to layer, down to the first one with weights.
        to_the_input: further backward passes, which go through to the network's own input.
    """

    network: keras.Model
    forward: float = 1
    weight_gradients: float = 1
    input_gradients: float = 1
    to_the_input: float = 0


def step_flops(model, batch_size):
    """FLOPs of one training step.

    A model with a training step of its own says what that runs by a method `training_passes()`,
    which returns a list of `Passes`; for any other it is one pass forward and one backward.

    Arguments:
        model: a built `keras.Model`, whose input shapes are known but for the batch.
        batch_size: examples in a batch.

    Returns:
        A float, or None if a layer with a matrix of weights has no rule in `RULES` (see
        `uncounted`): a count that is too low would be no count.
    """
    total = 0.0
    for passes in passes_of(model):
        calls = layer_calls(passes.network)
        if uncounted(calls):
            return None
        total += batch_size * _pass_flops(passes, calls)
    return total


def passes_of(model):
    """The `Passes` of a model's training step: its own, or one forward and one backward."""
    own = getattr(model, "training_passes", None)
    return own() if own else [Passes(model)]


def forward_flops(calls):
    """FLOPs of one forward pass of one example, from its `layer_calls`."""
    return sum(map(_flops, calls))


def uncounted(calls):
    """Names of layers that multiply with a matrix of weights and have no rule."""
    return sorted({c.layer.name for c in calls if _has_matrix(c.layer) and not _rule(c.layer)})


def layer_calls(model):
    """Calls of the model's layers in one forward pass of one example, in their order.

    The model is traced, nothing is computed.

    Raises:
        ValueError: if an input's shape is unknown beyond the batch.
    """
    import tensorflow as tf

    def spec(tensor):
        if None in tensor.shape[1:]:
            raise ValueError(f"input {tensor.name} of {model.name} has the shape {tensor.shape}")
        return tf.TensorSpec((1, *tensor.shape[1:]), tensor.dtype)

    specs, calls = [spec(tensor) for tensor in model.inputs], []
    with _recording(calls):
        tf.function(model).get_concrete_function(
            specs if len(specs) > 1 else specs[0], training=False
        )
    return calls


@contextlib.contextmanager
def _recording(calls):
    """Notes every call of a layer that has a rule or a matrix of weights."""
    original, thread = keras.layers.Layer.__call__, threading.get_ident()

    def call(self, *args, **kwargs):
        outputs = original(self, *args, **kwargs)
        if threading.get_ident() == thread and (_rule(self) or _has_matrix(self)):
            shapes = [tuple(x.shape) for x in keras.tree.flatten((args[:1], outputs))]
            calls.append(Call(self, shapes[0], shapes[-1]))
        return outputs

    keras.layers.Layer.__call__ = call
    try:
        yield
    finally:
        keras.layers.Layer.__call__ = original


def _pass_flops(passes, calls):
    """FLOPs of the passes for one example."""
    total, trainable_before = 0.0, False
    for call in calls:
        flops, trainable = _flops(call), call.layer.trainable
        times = passes.forward + passes.to_the_input
        if trainable:
            times += passes.weight_gradients
        if trainable_before:
            times += passes.input_gradients
        trainable_before |= trainable
        total += times * flops
    return total


def _flops(call):
    rule = _rule(call.layer)
    return 2.0 * rule(call) if rule else 0.0


def _rule(layer):
    return next((rule for kind, rule in RULES if isinstance(layer, kind)), None)


def _has_matrix(layer):
    """Whether a layer itself, apart from layers within it, holds weights of two axes or more."""
    weights = getattr(layer, "_trainable_variables", []) + getattr(
        layer, "_non_trainable_variables", []
    )
    return any(len(weight.shape) > 1 for weight in weights)


def _each_output(call):
    """Every output value sums over the kernel but for its last axis, the filters."""
    return math.prod(call.outputs) * math.prod(call.layer.kernel.shape[:-1])


def _each_input(call):
    """A transposed convolution multiplies each input value with the kernel but for its inputs."""
    return math.prod(call.inputs) * math.prod(call.layer.kernel.shape[:-1])


def _depthwise(call):
    """Every output value sums over the window in one channel."""
    window = math.prod(call.layer.kernel_size)
    return math.prod(call.outputs) * window


def _separable(call):
    positions = math.prod(call.outputs[:-1])
    channels = call.inputs[-1] * call.layer.depth_multiplier
    window = math.prod(call.layer.kernel_size)
    return positions * channels * (window + call.outputs[-1])


def _einsum(call):
    """The kernel's axes that the output lacks are summed over, for each output value."""
    operands, output = call.layer.equation.replace(" ", "").split("->")
    kernel = operands.split(",")[1]
    sizes = zip(kernel, call.layer.kernel.shape, strict=True)
    return math.prod(call.outputs) * math.prod(n for axis, n in sizes if axis not in output)


def _attention(call):
    """Scores and weighted values; the projections are layers of their own."""
    layer = call.layer
    positions = math.prod(call.inputs[1:-1])
    return positions * positions * layer.num_heads * (layer.key_dim + layer.value_dim)


def _nothing(call):
    return 0


# (layer, multiply-adds of one call for one example); the first that fits counts.
RULES = (
    (layers.Dense, _each_output),
    (layers.EinsumDense, _einsum),
    ((layers.Conv1DTranspose, layers.Conv2DTranspose, layers.Conv3DTranspose), _each_input),
    ((layers.DepthwiseConv1D, layers.DepthwiseConv2D), _depthwise),
    ((layers.SeparableConv1D, layers.SeparableConv2D), _separable),
    ((layers.Conv1D, layers.Conv2D, layers.Conv3D), _each_output),
    (layers.MultiHeadAttention, _attention),
    (layers.Embedding, _nothing),  # looks up, multiplies nothing
)
