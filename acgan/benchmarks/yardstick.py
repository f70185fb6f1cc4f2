"""Row 6: the arithmetic of a step against what the device does in a plain matrix product."""

import functools
import math

import tensorflow as tf

from acgan.benchmarks import loops
from acgan.benchmarks.measurement import measurement
from acgan.benchmarks.pairs import fewer, ratio, rounds
from acgan.model import ACGAN
from callbacks import hardware
from callbacks.flops import step_flops

POLICIES = {"float32": "float32", "mixed_bfloat16": "bfloat16"}  # and the dtype of its products
SIZES = {"CPU": (1024, 2048), "GPU": (1024, 2048, 4096, 8192, 16384)}
BATCH_SIZES = {"CPU": 64, "GPU": 1024}


def rows(pairs):
    """A step's FLOP/s, by layer shapes, over those of the best square product in its dtype.

    Both are measured in turn, in one sitting. "float32" means TF32 on a GPU that has it, for both.
    bfloat16 is left out with a line on a CPU that has no units for it.
    """
    device = "GPU" if loops.on_gpu() else "CPU"
    policies, left_out = list(POLICIES), []
    if device == "CPU" and not hardware.has_fast_bfloat16(hardware.detect()):
        policies.remove("mixed_bfloat16")
        left_out.append("bfloat16: no fast bfloat16 arithmetic here")
    measured = [
        _row(n, policy, device, fewer(pairs)) for policy in policies for n in loops.NETWORKS
    ]
    return [*left_out, *measured]


def _row(network, policy, device, pairs):
    dtype, batch_size = POLICIES[policy], BATCH_SIZES[device]
    products = {size: product(size, dtype) for size in SIZES[device]}
    step = loops.loop(ACGAN, network, policy, batch_size)
    flops = step_flops(loops.model(ACGAN, network, policy), batch_size)
    times = rounds([step, *products.values()], pairs)
    rates = [
        (flops / own, best_rate(dict(zip(products, others, strict=True)))) for own, *others in times
    ]
    achieved, best = (ratio(each).median / 1e12 for each in zip(*rates, strict=True))
    return measurement(
        6,
        f"FLOP/s of a step / of a {dtype} matrix product, {network}, batch {batch_size}",
        ratio([own / product for own, product in rates]),
        note=f"{achieved:.3g} of {best:.3g} TFLOP/s",
    )


def best_rate(seconds):
    """FLOP/s of the fastest square product, from the seconds of each by its size."""
    return max(2.0 * math.pow(size, 3) / each for size, each in seconds.items())


@functools.cache
def product(size, dtype):
    """Seconds of a product of two square matrices of random numbers: `measure()`, warm; kept."""
    a, b = (tf.cast(tf.random.stateless_normal((size, size), (0, i)), dtype) for i in range(2))

    @tf.function
    def multiply():
        # A number of the result, so that waiting for it waits for the product.
        return tf.cast(tf.matmul(a, b)[0, 0], "float32")

    return loops.timed(multiply)
