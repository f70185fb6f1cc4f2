"""Records of made-up runs, and images that are easily told apart."""

import json

import numpy as np
import pytest

from acgan.result_reading import read_result
from acgan.runs import MEASURED

# Hardware by a short name: name, compute capability, and USD per hour in the article's notes.
GPUS = {
    "T4": ("Tesla T4", "7.5", 0.526),
    "V100": ("Tesla V100-SXM2-16GB", "7.0", 3.06),
    "P100": ("Tesla P100-PCIE-16GB", "6.0", 1.46),
    "A100": ("NVIDIA A100-SXM4-40GB", "8.0", 1.99),
}
CPU_NAME, CPU_COUNT = "AMD EPYC 9124 16-Core Processor", 8
NO_PRICE = "no price is known for a machine without a GPU: give a price with --usd_per_hour"
# Short names of fields that tests change often.
SHORT = {
    "policy": ("config.policy", "resolved.policy"),
    "batch_size": ("config.batch_size",),
    "step_ms": ("step_time_ms.mean", "step_time_ms.p50", "step_time_ms.p95"),
    "usd_per_hour": ("cost.usd_per_hour",),
    "network": ("config.network",),
    "width": ("config.width",),
    "dataset": ("config.dataset",),
    "minutes": ("config.minutes",),
    "jit_compile": ("config.jit_compile", "resolved.jit_compile"),
    "cpu_features": ("hardware.cpu_features",),
    "gpu_name": ("hardware.gpu_name",),
    "compute_capability": ("hardware.compute_capability",),
}


@pytest.fixture(scope="session")
def stripes():
    """Forty grey 8x8 images of two classes: bright above, bright below."""
    images = np.random.default_rng(0).integers(0, 50, (40, 8, 8, 1), np.uint8)
    labels = np.tile([0, 1], 20).astype(np.int32)
    images[labels == 0, :4] += 200
    images[labels == 1, 4:] += 200
    return images, labels


@pytest.fixture
def make_record():
    """Builds a run's record, as `write_run` writes it."""
    return _record


@pytest.fixture
def write_run():
    """Writes a run.json into a new folder and returns the folder.

    `write_run(folder, device="T4", policy="mixed_float16", step_ms=70.0, history=[(9.5, 120.0)])`:
    `device` is a name in `GPUS` or "CPU"; `history` holds (seconds, FID) pairs and sets `quality`;
    everything else is a name in `SHORT`, or a field of the record by its path, such as
    `**{"seconds.train": 20.0}`. A `step_ms` of None is a run that measured none.
    """

    def write(folder, **changes):
        folder.mkdir(parents=True)
        (folder / "run.json").write_text(json.dumps(_record(**changes)))
        return folder

    return write


@pytest.fixture
def make_result(write_run, tmp_path):
    """The `Result` of a run that was written with these changes."""
    numbers = iter(range(1_000_000))

    def make(sweep=None, **changes):
        folder = write_run(tmp_path / "made" / f"run-{next(numbers)}", **changes)
        return read_result(folder / "run.json", sweep)

    return make


def _record(device="T4", history=None, **changes):
    record = {
        "format": 1,
        "status": "completed",
        "message": None,
        "failure": None,
        "started": "2026-11-01T12:00:00+00:00",
        "config": {
            "dataset": "cifar10",
            "network": "article",
            "width": None,
            "latent_dim": 100,
            "policy": "float32",
            "jit_compile": False,
            "batch_size": 64,
            "seed": 0,
            "deterministic": False,
            "steps": 60,
            "epochs": None,
            "minutes": None,
        },
        "resolved": {
            "policy": "float32",
            "jit_compile": False,
            "tensor_float_32": True,
            "onednn": True,
            "image_shape": [32, 32, 3],
            "classes": 2,
            "class_names": ["cat", "ship"],
        },
        "hardware": _hardware(device),
        "steps": 60,
        "images": 3840,
        "seconds": {"total": 30.0, "train": 10.0},
        **{name: dict.fromkeys(parts) if parts else None for name, parts in MEASURED.items()},
        "loss_scale": None,
        "quality": None,
        "reasons": {"quality": "--noevaluate"},
    }
    record["step_time_ms"] = {"mean": 100.0, "p50": 100.0, "p95": 100.0, "measured_steps": 59}
    if device == "CPU":
        record["tensor_cores"]["reason"] = "no GPU: kernels and Tensor Cores are a GPU's"
        record["reasons"]["cost"] = NO_PRICE
    else:
        record["tensor_cores"]["reason"] = "--noprofile"
        record["cost"] |= {"usd_per_hour": GPUS[device][2], "price_source": "a table"}
    if history is not None:
        record["quality"] = _quality(history)
    for name, value in changes.items():
        for path in SHORT.get(name, (name,)):
            *parents, last = path.split(".")
            place = record
            for part in parents:
                place = place[part]
            place[last] = value
    return record


def _hardware(device):
    gpu_name, capability, _ = GPUS.get(device, (None, None, None))
    return {
        "device": "GPU" if gpu_name else "CPU",
        "gpu_name": gpu_name,
        "gpu_count": 1 if gpu_name else None,
        "compute_capability": capability,
        "cpu_name": CPU_NAME,
        "cpu_count": CPU_COUNT,
        "cpu_features": ["avx2", "avx512_bf16", "avx512f"],
        "tensorflow": "2.21.0",
        "keras": "3.15.1",
        "driver": None,
    }


def _quality(history):
    judgements = [
        {"step": 10 * number, "seconds": seconds, "class_accuracy": 0.1 * number, "fid": fid}
        for number, (seconds, fid) in enumerate(history, 1)
    ]
    best = min(judgements, key=lambda judgement: judgement["fid"])
    return {
        "class_accuracy": best["class_accuracy"],
        "fid": best["fid"],
        "fid_floor": 0.5,
        "best_step": best["step"],
        "judge_test_accuracy": 0.9,
        "last": judgements[-1],
        "history": judgements,
    }
