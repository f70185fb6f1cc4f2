"""Whether a step time is true: what a known delay adds to it."""

import time

import keras
import numpy as np
import tensorflow as tf

from callbacks.step_time import StepTime

DELAY_MS = 20.0
STEPS = 30


class Delayed(keras.Model):
    """Keeps a core busy for so many milliseconds in every training step and learns nothing."""

    def __init__(self, delay_ms):
        super().__init__()
        self.delay_ms = delay_ms
        self.built = True

    def train_step(self, data):
        delay = tf.numpy_function(self._delay, [], tf.float32)
        return {"loss": tf.ensure_shape(delay, ())}

    def _delay(self):
        # Busy, not asleep: a machine wakes up too late, by up to a millisecond.
        end = time.perf_counter() + self.delay_ms / 1000
        while time.perf_counter() < end:
            pass
        return np.float32(0)


def added_ms(steps_per_execution):
    """By how much `StepTime`'s median, in milliseconds, grows by `DELAY_MS` more in a step.

    The step without them shows TensorFlow's own work for an execution.
    """
    return _median_ms(DELAY_MS, steps_per_execution) - _median_ms(0.0, steps_per_execution)


def _median_ms(delay_ms, steps_per_execution):
    model = Delayed(delay_ms)
    model.compile(steps_per_execution=steps_per_execution, jit_compile=False)
    step_time = StepTime(None, images_per_step=1)
    data = tf.data.Dataset.from_tensors(np.zeros((1, 1), np.float32)).repeat(STEPS)
    model.fit(data, verbose=0, shuffle=False, callbacks=[step_time])
    return step_time.rates().p50_ms
