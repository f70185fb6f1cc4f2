import pytest

from acgan.benchmarks.arithmetic import arithmetic, flops_note
from callbacks.flops import Passes


class Steps:
    def __init__(self, network, forward):
        self.passes = [Passes(network, forward=forward, weight_gradients=0, input_gradients=0)]

    def training_passes(self):
        return self.passes


@pytest.fixture
def one_and_three_passes():
    import keras

    network = keras.Sequential([keras.Input((50,)), keras.layers.Dense(100)])
    return Steps(network, 1), Steps(network, 3)


def test_the_ratio_is_that_of_the_matrix_flops(one_and_three_passes):
    assert arithmetic(*one_and_three_passes, batch_size=7) == pytest.approx(1 / 3)


def test_the_flops_of_both_are_told(one_and_three_passes):
    # 2 x 50 x 100 a pass and image: 10,000 x 10,000 images, and three times as many.
    note = flops_note(*one_and_three_passes, batch_size=10_000)
    assert note == "matrix GFLOP a step: 0.10 / 0.30"
