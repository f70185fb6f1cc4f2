from types import SimpleNamespace

import numpy as np
import pytest
import tensorflow as tf
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray

from callbacks.board import Board
from callbacks.pictures import class_columns
from callbacks.samples import TAG, Samples


def generate(model):
    """Two rows of two classes, all of one grey: the steps that the model has been trained."""
    return np.full((2, 2, 8, 8, 1), model.steps, np.uint8)


def train(samples, steps):
    samples.set_params({"steps": None})
    samples.set_model(SimpleNamespace(steps=0))
    for step in range(steps):
        samples.on_train_batch_begin(step)
        samples.model.steps = step + 1
        samples.on_train_batch_end(step)
    samples.on_train_end()


def picture(steps):
    return class_columns(generate(SimpleNamespace(steps=steps)), ["a", "b"])


def test_draws_at_intervals_and_at_the_end(tmp_path):
    folder, board = tmp_path / "samples", Board(tmp_path / "tensorboard")
    train(Samples(generate, ["a", "b"], folder, board, interval=10), 25)
    board.close()

    files = sorted(folder.iterdir())
    assert [file.name for file in files] == [f"step-0000{n}.png" for n in (10, 20, 25)]
    for file, steps in zip(files, (10, 20, 25), strict=True):
        with Image.open(file) as image:
            assert np.array_equal(np.asarray(image), picture(steps))

    events = EventAccumulator(str(tmp_path / "tensorboard")).Reload().Tensors(TAG)
    assert [event.step for event in events] == [10, 20, 25]
    png = make_ndarray(events[-1].tensor_proto)[2]
    assert np.array_equal(tf.io.decode_png(png).numpy(), picture(25))


@pytest.mark.parametrize(
    ("interval", "first_step", "steps", "names"),
    [
        (10, 0, 20, ["step-000010.png", "step-000020.png"]),
        (0, 0, 25, ["step-000025.png"]),
        (10, 95, 10, ["step-000100.png", "step-000105.png"]),
    ],
    ids=["the last is not drawn twice", "only at the end", "a continued run"],
)
def test_when_it_draws(tmp_path, interval, first_step, steps, names):
    train(Samples(generate, ["a", "b"], tmp_path, None, interval, first_step), steps)
    assert sorted(file.name for file in tmp_path.iterdir()) == names


def test_files_and_board_may_be_left_out(tmp_path):
    board = Board(tmp_path)
    train(Samples(generate, ["a", "b"], board=board), 1)
    board.close()
    assert [file.suffix for file in tmp_path.iterdir()] == [".v2"]
