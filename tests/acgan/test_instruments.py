import json
from functools import partial

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from acgan.clock import PartClock
from acgan.datasets import ImageDataset
from acgan.dry_run import dry_run, few_steps
from acgan.pricing import find_pricing
from acgan.runs import RunFolder
from acgan.training import Run
from callbacks import hardware


@pytest.fixture
def start(tiny_images, tmp_path):
    """Starts a run on the tiny images: `start(settings, folder)` gives the `Run`."""
    dataset = ImageDataset("tiny", *tiny_images, ("above", "below"))
    device = hardware.detect()

    def build(settings, folder):
        folder.create()
        pricing = find_pricing(settings, device)
        policy = settings.policy
        return Run(settings, dataset, policy, device, folder, tmp_path, pricing, PartClock())

    return build


@pytest.fixture
def small(make_settings):
    def settings(**changes):
        values = {"policy": "float32", "width": 8, "batch_size": 16, "steps": 25}
        return make_settings(**{**values, "evaluate": False, "sample_every": 0, **changes})

    return settings


def test_every_run_of_twenty_steps_has_its_step_time_and_flops(start, small, tmp_path):
    folder = RunFolder(tmp_path / "run")
    start(small(steps=20), folder).execute()
    record = json.loads(folder.record.read_text())
    step_time = record["step_time_ms"]
    assert step_time["measured_steps"] == 19
    assert 0 < step_time["p50"] <= step_time["p95"]
    assert record["images_per_second"] == pytest.approx(16 / step_time["mean"] * 1000)
    assert record["model_flops_per_step"] > 0
    assert "step_time_ms" not in record["reasons"]


def test_money_follows_from_time_and_price(start, small, tmp_path):
    folder = RunFolder(tmp_path / "run")
    start(small(usd_per_hour=3.6), folder).execute()
    record = json.loads(folder.record.read_text())
    cost, step_ms = record["cost"], record["step_time_ms"]["mean"]
    # 3.6 USD an hour are 0.001 USD a second.
    assert cost["usd_per_million_batches"] == pytest.approx(0.001 * step_ms / 1000 * 1e6)
    assert cost["usd_per_1000_images"] == pytest.approx(0.001 * step_ms / 1000 * 1000 / 16)
    assert 0 < cost["usd_total"] <= 0.001 * record["seconds"]["total"]


def test_a_run_ends_when_its_money_is_spent(start, small, tmp_path):
    folder = RunFolder(tmp_path / "run")
    start(small(usd_per_hour=1e6, max_usd=1e-3, steps=10_000), folder).execute()
    record = json.loads(folder.record.read_text())
    assert record["status"] == "completed"
    assert record["message"] == "--max_usd=0.001 is spent"
    assert record["steps"] < 100


def test_the_range_of_gradients_is_measured_for_both_networks(start, small, tmp_path):
    folder = RunFolder(tmp_path / "run")
    start(small(gradient_range_every=10), folder).execute()
    tags = EventAccumulator(str(folder.tensorboard)).Reload().Tags()["tensors"]
    for network in ("generator", "discriminator"):
        assert f"gradients/{network}_underflow_percent_unscaled" in tags
        assert f"gradients/{network}_log2" in tags


def test_measuring_gradients_changes_no_weights(start, small, tmp_path):
    contents = []
    for name, every in (("without", 0), ("with", 5)):
        folder = RunFolder(tmp_path / name)
        start(small(gradient_range_every=every), folder).execute()
        import keras

        generator = keras.saving.load_model(folder.last_generator, compile=False)
        contents.append([weight.numpy().tolist() for weight in generator.weights])
    assert contents[0] == contents[1]


def test_loss_scales_are_recorded_by_network(start, small, tmp_path):
    folder = RunFolder(tmp_path / "run")
    start(small(policy="mixed_float16", loss_scale="128"), folder).execute()
    scales = json.loads(folder.record.read_text())["loss_scale"]
    assert {name: scale["final"] for name, scale in scales.items()} == {
        "generator": 128.0,
        "discriminator": 128.0,
    }


def test_a_dry_run_estimates_and_keeps_nothing(start, small, tmp_path):
    settings = small(steps=3600, usd_per_hour=3.6)
    before = set(tmp_path.iterdir())
    pricing = find_pricing(settings, {"gpu_name": None, "gpu_count": None})
    lines = dry_run(settings, 40, pricing, partial(start, few_steps(settings))).splitlines()
    assert lines[0].startswith("estimate from 29 steps of ")
    assert lines[1] == "steps        3,600"
    assert "USD (given: 3.6 USD/h)" in lines[3]
    assert set(tmp_path.iterdir()) == before


def test_a_dry_run_without_a_price_says_how_to_give_one(start, small):
    settings = small()
    pricing = find_pricing(settings, {"gpu_name": None, "gpu_count": None})
    assert "--usd_per_hour" in dry_run(settings, 40, pricing, partial(start, few_steps(settings)))
