"""How a training step's time grows with the batch, the network's width and the images' size.

All with the dcgan network in float32, in a bare loop.
"""

import gc

import tensorflow as tf

from acgan.benchmarks import loops
from acgan.benchmarks.pairs import ratio
from acgan.growth_table import Point
from acgan.model import ACGAN
from callbacks.flops import step_flops

BATCH_SIZES = (32, 64, 128, 256, 512, 1024, 2048)
WIDTHS = (32, 64, 128, 256)
SIDES, SIDES_BATCH = (28, 32, 64, 128), 32
REPETITIONS, FEWEST = 7, 3  # measurements of a step, and of a slow one
SLOW_SECONDS = 1.0
# What follows on a step of this length is left out. Sizes double, and a step grows with their
# square at most: the longest takes four times as long, and runs five times.
LONGEST_SECONDS = 8.0


def by_batch_size(sizes=BATCH_SIZES):
    """Steps of growing batches, of 28x28 images and width 32."""
    return steps("step, batch size", {size: {"batch_size": size} for size in sizes}, bare_step)


def by_width(widths=WIDTHS):
    """Steps of growing networks, of 64 images of 28x28."""
    return steps("step, width", {width: {"width": width} for width in widths}, bare_step)


def by_side(sides=SIDES):
    """Steps of growing images, 32 of them, width 32."""
    settings = {side: {"batch_size": SIDES_BATCH, "side": side} for side in sides}
    return steps("step, side in pixels", settings, bare_step)


def steps(series, settings, step):
    """The points of a series of steps, of which one model at a time is there.

    What no longer fits into the device's memory is left out, and so are all that follow a step of
    more than `LONGEST_SECONDS`, and noted as such.

    Arguments:
        series: its name.
        settings: a dictionary from sizes, growing, to arguments of `step`.
        step: as `bare_step`.
    """
    points, reason = [], ""
    for size, setting in settings.items():
        images = setting.get("batch_size", loops.BATCH)
        spread = flops = None
        if not reason:
            try:
                measure, flops = step(**setting)
                spread = repeated(measure)
            except tf.errors.ResourceExhaustedError:
                reason = "does not fit into the device's memory"
            measure = None
            gc.collect()  # the step and its model refer to each other
        points.append(Point(series, size, spread, "ms", images, flops, reason))
        if spread and spread.median > LONGEST_SECONDS * 1000:
            reason = f"left out: the step before took {spread.median / 1000:.0f} s"
    return points


def bare_step(batch_size=loops.BATCH, width=loops.WIDTH, side=loops.IMAGE_SHAPE[0]):
    """`measure()` of a new model's step in a bare loop, in seconds, warm; and the step's FLOPs."""
    shape = (side, side, 1)
    model = loops.new_model(ACGAN, "dcgan", image_shape=shape, width=width)
    flops = step_flops(model, batch_size)
    return loops.bare(model, loops.training_data(batch_size, shape)), flops


def repeated(measure):
    """The spread, in milliseconds, of some measurements of a step: fewer of a slow one."""
    first = measure()
    count = FEWEST if first > SLOW_SECONDS else REPETITIONS
    return ratio([1000 * seconds for seconds in (first, *(measure() for _ in range(count - 1)))])
