"""Row 4: what a step takes in reduced precision, against float32, at three batch sizes."""

import contextlib
import itertools

import tensorflow as tf

from acgan.benchmarks import apart, loops
from acgan.benchmarks.measurement import measurement
from acgan.benchmarks.pairs import FEWEST, fewer, ratio, rounds
from acgan.model import ACGAN
from callbacks import hardware

POLICIES = ("float32", "mixed_bfloat16", "mixed_float16")  # the first is what others are over
BATCH_SIZES = {"CPU": (8, 16, 32), "GPU": (64, 512, 2048)}


def rows(pairs):
    """Steps in all policies in turn, so that one drift of the machine is in all of them.

    On a CPU mixed_float16 runs in a process of its own, since it trains there with other kernels:
    see `acgan.quiet.import_tensorflow`.
    """
    sizes = BATCH_SIZES["GPU" if loops.on_gpu() else "CPU"]
    fast = loops.on_gpu() or hardware.has_fast_bfloat16(hardware.detect())
    pairs = fewer(pairs) if fast else FEWEST  # where both are many times slower, few will do
    with contextlib.ExitStack() as held:
        by_policy = [_measures(policy, sizes, held) for policy in POLICIES]
        return [
            row
            for setting in itertools.product(loops.NETWORKS, sizes)
            for row in _rows(*setting, [each[setting] for each in by_policy], pairs)
        ]


def _rows(network, size, by_policy, pairs):
    times = rounds(by_policy, pairs)
    for number, policy in enumerate(POLICIES[1:], 1):
        yield measurement(
            4,
            f"{policy} / float32, {network}, batch {size}",
            ratio([seconds[number] / seconds[0] for seconds in times]),
        )


def _measures(policy, sizes, held):
    if policy == "mixed_float16" and not loops.on_gpu():
        return held.enter_context(apart.measures(policy, sizes))
    return measures(policy, sizes)


def measures(policy, sizes):
    """What measures a bare step: a dictionary by (network, batch size).

    A network's step is traced once, for batches of any size: tracing it anew for each would take
    longer than all that is measured.
    """
    return {
        (network, size): measure
        for network in loops.NETWORKS
        for size, measure in _measures_of(network, policy, sizes)
    }


def _measures_of(network, policy, sizes):
    model = loops.model(ACGAN, network, policy)
    spec = {
        name: tf.TensorSpec((None, *part.shape[1:]), part.dtype)
        for name, part in loops.training_data().element_spec.items()
    }
    step = tf.function(model.train_step, input_signature=[spec], jit_compile=False)
    for size in sizes:
        stream = iter(loops.training_data(size))
        yield size, loops.timed(lambda stream=stream: step(next(stream))["generator_loss"])
