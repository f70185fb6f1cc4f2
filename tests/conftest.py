"""Small data and settings that the tests share."""

import os
import signal
from pathlib import Path

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")  # several processes share a GPU

import numpy as np
import pytest
import tensorflow as tf

# Ignored where a shell has started this in its background, and a process passes that on.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Two logical devices stand for two GPUs in the tests of distribution strategies.
tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def shared():
    if not SHARED.is_dir():
        pytest.skip(f"{SHARED} is not there")
    return SHARED


@pytest.fixture(scope="session")
def judge_cache(tmp_path_factory):
    """A `cache_dir` with one judge of the embedded digits for all tests."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def make_settings(tmp_path):
    """Builds `Settings` from the flags' own defaults and what is given."""
    from absl import flags as absl_flags

    from acgan import command, train
    from acgan.settings import Settings

    registry = absl_flags.FLAGS
    names = command.import_flags(train.FLAGS)
    defaults = {name: registry[name].default for name in names}

    def make(**changes):
        return Settings(**{**defaults, "cache_dir": str(tmp_path / "cache"), **changes})

    return make


@pytest.fixture
def tiny_images():
    """Forty grey 8x8 images of two classes: bright above, bright below."""
    random = np.random.default_rng(0)
    images = random.integers(0, 50, (40, 8, 8, 1), np.uint8)
    labels = np.tile([0, 1], 20).astype(np.int32)
    images[labels == 0, :4] += 200
    images[labels == 1, 4:] += 200
    return images, labels
