"""Whether a step time is true: a model that takes a known time a step."""

import time

import keras
import numpy as np
import tensorflow as tf

from callbacks.step_time import StepTime

DELAY_MS = 20.0
STEPS = 50


class Sleeper(keras.Model):
    """Sleeps for `DELAY_MS` in every training step and learns nothing."""

    def train_step(self, data):
        slept = tf.numpy_function(_sleep, [], tf.float32, stateful=True)
        return {"loss": tf.ensure_shape(slept, ())}


def measured_delay_ms(steps_per_execution):
    """The median step time, in milliseconds, that `StepTime` reads of a `Sleeper`."""
    model = Sleeper()
    model.compile(steps_per_execution=steps_per_execution, jit_compile=False)
    model.built = True
    step_time = StepTime(None, images_per_step=1)
    data = tf.data.Dataset.from_tensors(np.zeros((1, 1), np.float32)).repeat(STEPS)
    model.fit(data, verbose=0, shuffle=False, callbacks=[step_time])
    return step_time.rates().p50_ms


def _sleep():
    time.sleep(DELAY_MS / 1000)
    return np.float32(0)
