import json

import keras
import pytest
import tensorflow as tf

from acgan.clock import PartClock
from acgan.datasets import ImageDataset
from acgan.distribution import ONE_DEVICE, resolve
from acgan.errors import UserError
from acgan.pricing import Pricing
from acgan.resuming import Before
from acgan.run_callbacks import run_callbacks
from acgan.runs import RunFolder
from acgan.training import Run
from callbacks import hardware


@pytest.fixture
def run(make_settings, tiny_images, tmp_path):
    """A run on tiny images that judges at its end: `run(**settings)`."""

    def build(distribution=ONE_DEVICE, before=None, **changes):
        values = {"policy": "float32", "width": 8, "batch_size": 16, "steps": 8}
        settings = make_settings(**{**values, "sample_every": 0, **changes})
        folder = RunFolder(tmp_path / "run")
        if before is None:
            folder.create()
        dataset = ImageDataset("tiny", *tiny_images, ("above", "below"))
        pricing = Pricing(None, "no price")
        device = hardware.detect()
        return Run(
            settings,
            dataset,
            "float32",
            device,
            folder,
            tmp_path,
            pricing,
            PartClock(),
            before,
            distribution,
        )

    return build


def record_of(run):
    return json.loads(run.folder.record.read_text())


def failing(error):
    def fail(*_):
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "raised", "message"),
    [
        (RuntimeError("on purpose"), RuntimeError, "RuntimeError: on purpose"),
        (
            tf.errors.ResourceExhaustedError(None, None, "OOM when allocating tensor"),
            UserError,
            "--batch_size=16 does not fit",
        ),
        (
            tf.errors.ResourceExhaustedError(None, None, "logs; No space left on device"),
            UserError,
            "free space",
        ),
        (OSError(28, "No space left on device"), UserError, "free space"),
        (OSError("log_dir=logs can't be written: gone"), UserError, "log_dir=logs"),
    ],
    ids=["fault", "memory", "TensorFlow's disk", "disk", "log folder"],
)
def test_what_was_learned_is_kept_whatever_ends_the_training(run, error, raised, message):
    run = run()
    run.evaluation.load_judge = failing(error)
    with pytest.raises(raised, match=message.removeprefix("RuntimeError: ")):
        run.execute()
    record = record_of(run)
    assert record["status"] == "failed"
    assert message in record["message"]
    assert record["steps"] == 8
    keras.saving.load_model(run.folder.last_generator, compile=False)


def test_time_between_steps_is_booked_on_no_part(run):
    run = run(evaluate=False)
    run.execute()
    seconds = record_of(run)["seconds"]
    assert seconds["unaccounted"] > 0
    parts = sum(value for part, value in seconds.items() if part != "total")
    assert parts == pytest.approx(seconds["total"])
    # Seven steps were trained after the one that compiled.
    assert seconds["train"] >= 7 * record_of(run)["step_time_ms"]["mean"] / 1000


def test_how_it_was_computed_is_recorded(run):
    run = run(evaluate=False, profile=False)
    run.execute()
    record = record_of(run)
    assert record["resolved"]["onednn"] is True
    assert record["resolved"]["parameters"].keys() == {"generator", "discriminator"}
    assert record["tensor_cores"]["reason"] == "--noprofile"
    assert record["reasons"]["quality"] == "--noevaluate"


def test_losses_that_are_no_longer_finite_are_no_success(run):
    run = run(evaluate=False, learning_rate=1e200, generator_learning_rate=1e200, steps=20)
    with pytest.raises(UserError, match="--learning_rate"):
        run.execute()
    record = record_of(run)
    assert record["status"] == "failed"
    assert "no longer finite" in record["message"]


def test_a_board_that_cant_write_costs_no_training(run):
    run = run(evaluate=False, checkpoint_every=4)
    run.board.close = failing(OSError("log_dir=logs can't be written: gone"))
    with pytest.raises(UserError, match="log_dir=logs can't be written"):
        run.execute()
    assert run.saving.checkpoints.newest().step == 8
    keras.saving.load_model(run.folder.last_generator, compile=False)


def test_all_that_may_end_training_stands_before_the_agreement_to_end(run, monkeypatch):
    built = []

    def keep(of):
        built.extend(callbacks := run_callbacks(of))
        return callbacks

    monkeypatch.setattr("acgan.training.run_callbacks", keep)
    run(evaluate=False, steps=1).execute()
    kinds = [type(getattr(callback, "callback", callback)).__name__ for callback in built]
    assert kinds[-1] == "EndTogether"
    assert {"StopAfter", "Cost", "Divergence", "Checkpointing"} <= set(kinds)


@pytest.mark.slow
def test_two_devices_train_a_run_that_goes_on(run):
    # Two logical CPUs stand for two GPUs.
    two = resolve("mirrored", None, 16, devices=("CPU:0", "CPU:1"))
    flags = {"policy": "float32", "gradient_range_every": 2, "sample_every": 2}
    first = run(two, steps=4, **flags)
    first.execute()
    record = record_of(first)
    assert (record["status"], record["steps"], record["images"]) == ("completed", 4, 4 * 16)
    assert (record["resolved"]["replicas"], record["resolved"]["workers"]) == (2, 1)
    assert record["step_time_ms"]["measured_steps"] == 3
    assert record["quality"]["best_step"] == 4
    assert "discriminator" in first.instruments.gradient_range.latest
    saved = first.saving.checkpoints.newest()
    second = run(two, Before({}, record, saved), steps=6, **flags)
    second.execute()
    assert record_of(second)["steps"] == 6
    assert len(list(second.folder.samples.glob("*.png"))) == 3


@pytest.mark.parametrize("channels", [2, 4, 5])
def test_any_channel_count_is_trained_on_and_drawn(make_settings, tmp_path, channels):
    import numpy as np

    random = np.random.default_rng(0)
    images = random.integers(0, 256, (16, 8, 8, channels), np.uint8)
    dataset = ImageDataset("odd", images, np.tile([0, 1], 8).astype(np.int32), ("a", "b"))
    settings = make_settings(
        policy="float32", width=8, batch_size=8, steps=2, evaluate=False, sample_every=1
    )
    folder = RunFolder(tmp_path / "run")
    folder.create()
    device = hardware.detect()
    pricing = Pricing(None, "no price")
    run = Run(settings, dataset, "float32", device, folder, tmp_path, pricing, PartClock())
    run.execute()
    assert len(list(folder.samples.glob("*.png"))) == 2
