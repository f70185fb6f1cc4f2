"""The callbacks together in `fit` of a model that knows nothing of them."""

import keras
import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from callbacks.board import Board
from callbacks.cost import Cost
from callbacks.flops import step_flops
from callbacks.loss_scale import LossScale
from callbacks.losses import Losses
from callbacks.step_time import StepTime
from callbacks.tensor_cores.callback import TensorCores


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["float32", "mixed_float16"])
def test_a_keras_application_is_measured_unchanged(tmp_path, policy):
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(policy)
    try:
        model = keras.applications.MobileNet((32, 32, 3), 0.25, weights=None, classes=2)
    finally:
        keras.config.set_dtype_policy(before)
    model.compile("adam", "sparse_categorical_crossentropy", jit_compile=False)
    board = Board(tmp_path)
    step_time = StepTime(board, 4, interval=2, flops_per_step=step_flops(model, 4))
    cost = Cost(3.6, board, 4, step_time.mean_ms, interval=2)
    loss_scale = LossScale(board, interval=2)
    tensor_cores = TensorCores(board, policy, 4, start=2, steps=1)
    losses = Losses(board, {"loss": "loss/total"}, interval=2)
    images = np.random.default_rng(0).random((16, 32, 32, 3), np.float32)
    model.fit(
        images,
        np.arange(16) % 2,
        batch_size=4,
        verbose=0,
        callbacks=[step_time, cost, loss_scale, tensor_cores, losses],
    )
    board.close()

    assert step_time.steps_done == 4
    assert step_time.rates().measured_steps == 3 - (tensor_cores.summary is not None)
    # 3.6 USD an hour are 0.001 USD a second.
    expected = 0.001 * step_time.mean_ms() / 1000 * 1e6
    assert cost.record()["usd_per_million_batches"] == pytest.approx(expected)
    assert (loss_scale.record() is None) == (policy == "float32")
    tags = set(EventAccumulator(str(tmp_path)).Reload().Tags()["tensors"])
    assert {"step_time/mean_ms", "throughput/model_tflops_per_second", "loss/total"} <= tags
    assert {"cost/usd_total", "cost/usd_per_1000_images"} <= tags
    assert ("loss_scale/model" in tags) == (policy == "mixed_float16")
