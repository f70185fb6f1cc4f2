"""Series of steps, from scripted measures."""

import gc
import weakref

import tensorflow as tf

from acgan import growing_steps
from acgan.benchmarks.pairs import Ratio
from acgan.growing_steps import repeated, steps


def scripted(seconds):
    """`step(batch_size)`, which takes so many seconds, and a FLOP per image."""
    return lambda batch_size: (lambda: seconds[batch_size], float(batch_size))


def sizes(*values):
    return {value: {"batch_size": value} for value in values}


def test_a_series_has_a_point_a_size_in_order():
    points = steps("step, batch size", sizes(32, 64), scripted({32: 0.25, 64: 0.5}))
    assert [(p.series, p.size, p.unit, p.images, p.flops, p.note) for p in points] == [
        ("step, batch size", 32, "ms", 32, 32.0, ""),
        ("step, batch size", 64, "ms", 64, 64.0, ""),
    ]
    assert points[1].spread == Ratio(500.0, 500.0, 500.0, growing_steps.REPETITIONS)


def test_a_step_is_measured_several_times_and_a_slow_one_three_times():
    # Eighths of a second from 1 to 7: the median is 4, the quartiles lie 6 / 4 from the ends.
    seconds = iter((*(n / 8 for n in (1, 4, 2, 7, 3, 6, 5)), 99))
    assert repeated(lambda: next(seconds)) == Ratio(4 * 125.0, 2.5 * 125, 5.5 * 125, 7)
    assert next(seconds) == 99
    slow = iter((3.0, 1.0, 2.0, 99))
    assert repeated(lambda: next(slow)) == Ratio(2000.0, 1500.0, 2500.0, 3)
    assert next(slow) == 99


def test_after_a_step_that_is_too_long_the_rest_is_left_out():
    points = steps("step, batch size", sizes(1, 2, 4, 8), scripted({1: 5.0, 2: 10.0}))
    assert [p.spread and p.spread.median for p in points] == [5000.0, 10_000.0, None, None]
    assert [p.note for p in points[2:]] == ["left out: the step before took 10 s"] * 2


def test_what_does_not_fit_into_the_memory_ends_a_series_and_not_the_program():
    def step(batch_size):
        if batch_size > 1:
            raise tf.errors.ResourceExhaustedError(None, None, "OOM")
        return lambda: 0.5, 1.0

    points = steps("step, batch size", sizes(1, 2, 4), step)
    assert [p.spread is None for p in points] == [False, True, True]
    assert [p.note for p in points[1:]] == ["does not fit into the device's memory"] * 2


def test_a_model_is_gone_before_the_next_one_comes():
    class Model:
        def __init__(self):
            self.itself = self  # as what TensorFlow has traced

    made = []

    def step(batch_size):
        assert [model() for model in made] == [None] * len(made)
        model = Model()
        made.append(weakref.ref(model))
        return lambda: bool(model) * 0.5, 1.0

    gc.disable()  # so that none is freed by chance
    try:
        steps("step, batch size", sizes(1, 2, 4), step)
    finally:
        gc.enable()
    assert len(made) == 3


def test_the_series_hold_what_they_are_named_after(monkeypatch):
    asked = []

    def bare_step(**setting):
        asked.append(setting)
        return lambda: 0.5, 1.0

    monkeypatch.setattr(growing_steps, "bare_step", bare_step)
    points = [
        *growing_steps.by_batch_size((2, 4)),
        *growing_steps.by_width((8,)),
        *growing_steps.by_side((28, 32)),
    ]
    assert asked == [
        {"batch_size": 2},
        {"batch_size": 4},
        {"width": 8},
        {"batch_size": 32, "side": 28},
        {"batch_size": 32, "side": 32},
    ]
    assert [p.images for p in points] == [2, 4, 64, 32, 32]


def test_a_step_is_that_of_its_own_batch_width_and_image_size(monkeypatch):
    def bare(model, data):
        return data.element_spec["images"].shape

    monkeypatch.setattr(growing_steps.loops, "bare", bare)
    shape, flops = growing_steps.bare_step(batch_size=4, width=8, side=8)
    assert shape == (4, 8, 8, 1)
    assert growing_steps.bare_step(batch_size=12, width=8, side=8) == ((12, 8, 8, 1), 3 * flops)
    shape, wide_flops = growing_steps.bare_step(batch_size=4, width=16, side=8)
    assert 2 < wide_flops / flops < 4  # most of it grows with the square of the width
    shape, large_flops = growing_steps.bare_step(batch_size=4, width=8, side=16)
    assert shape == (4, 16, 16, 1)
    assert large_flops > 4 * flops  # four times the pixels, and a layer more
