import copy
import pickle
import time

import numpy as np
import pytest
import tensorflow as tf
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray

from callbacks.board import Board


def events_of(folder):
    return EventAccumulator(str(folder), size_guidance={"tensors": 0}).Reload()


def points(events, tag):
    return [(event.step, make_ndarray(event.tensor_proto)) for event in events.Tensors(tag)]


def test_numbers_are_read_back_with_their_steps(tmp_path):
    board = Board(tmp_path)
    board.scalars({"loss/generator": 0.5, "loss/discriminator": 2}, step=10)
    board.scalars({"loss/generator": np.float32(0.25)}, step=2**33)
    board.close()
    events = events_of(tmp_path)
    assert sorted(events.Tags()["tensors"]) == ["loss/discriminator", "loss/generator"]
    assert points(events, "loss/generator") == [(10, 0.5), (2**33, 0.25)]
    assert points(events, "loss/discriminator") == [(10, 2.0)]


def test_what_was_not_measured_is_left_out_and_zero_is_not(tmp_path):
    board = Board(tmp_path)
    board.scalars({"cost/usd_total": None, "cost/usd_per_hour": 0.0}, step=1)
    board.close()
    events = events_of(tmp_path)
    assert events.Tags()["tensors"] == ["cost/usd_per_hour"]
    assert points(events, "cost/usd_per_hour") == [(1, 0.0)]


def test_a_picture_is_read_back_pixel_by_pixel(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, 3), np.uint8)
    board = Board(tmp_path)
    board.image("samples/by_class", pixels, step=3)
    board.close()
    ((step, (width, height, png)),) = points(events_of(tmp_path), "samples/by_class")
    assert (step, int(width), int(height)) == (3, 7, 5)
    assert np.array_equal(tf.io.decode_png(png).numpy(), pixels)


def test_a_text_is_read_back(tmp_path):
    board = Board(tmp_path)
    board.text("tensor_cores/kernels", "| kernel |\n|---|", step=4)
    board.close()
    ((step, text),) = points(events_of(tmp_path), "tensor_cores/kernels")
    assert (step, text.item().decode()) == (4, "| kernel |\n|---|")


def test_nothing_is_made_before_the_first_write(tmp_path):
    board = Board(tmp_path / "tensorboard")
    board.flush()
    board.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))])
def test_a_board_can_be_copied_before_training(tmp_path, duplicate):
    board = duplicate(Board(tmp_path))
    board.scalars({"a": 1.0}, step=1)
    board.close()
    assert points(events_of(tmp_path), "a") == [(1, 1.0)]


def test_flushed_numbers_are_on_disk_though_the_board_is_open(tmp_path):
    board = Board(tmp_path, flush_seconds=3600)
    board.scalars({"a": 1.0}, step=1)
    board.flush()
    assert points(events_of(tmp_path), "a") == [(1, 1.0)]
    assert len(list(tmp_path.iterdir())) == 1
    board.close()


def test_a_write_after_closing_is_kept_too(tmp_path):
    board = Board(tmp_path)
    for step in (1, 2):
        board.scalars({"a": float(step)}, step)
        board.close()
        time.sleep(1.1)  # files are read by name: of one second, a tenth comes before a ninth
    assert points(events_of(tmp_path), "a") == [(1, 1.0), (2, 2.0)]


def test_the_step_is_the_one_given_whatever_the_default(tmp_path):
    board = Board(tmp_path)
    tf.summary.experimental.set_step(99)
    try:
        board.scalars({"a": 1.0}, step=5)
    finally:
        tf.summary.experimental.set_step(None)
    board.close()
    assert points(events_of(tmp_path), "a") == [(5, 1.0)]


def test_a_folder_that_cant_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    board = Board(tmp_path / "file" / "logs")
    with pytest.raises(OSError, match="file/logs can't be written"):
        board.scalars({"a": 1.0}, step=1)
