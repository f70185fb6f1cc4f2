import keras
import numpy as np

from acgan.batched import in_batches


def test_batches_are_put_together_for_every_output():
    x = keras.Input((1,))
    model = keras.Model(x, [x * 2, x + 1])
    rows = np.arange(5, dtype=np.float32)[:, None]
    doubled, increased = in_batches(model, [rows], batch_size=2)
    assert doubled[:, 0].tolist() == [0, 2, 4, 6, 8]
    assert increased[:, 0].tolist() == [1, 2, 3, 4, 5]


def test_inputs_are_cut_alike():
    x, y = keras.Input((1,)), keras.Input((1,))
    rows = np.arange(5, dtype=np.float32)[:, None]
    (sums,) = in_batches(keras.Model([x, y], x + y), [rows, 10 * rows], batch_size=2)
    assert sums[:, 0].tolist() == [0, 11, 22, 33, 44]
