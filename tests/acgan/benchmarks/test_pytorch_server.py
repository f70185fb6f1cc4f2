import importlib.util
import multiprocessing

import numpy as np
import pytest

from acgan.benchmarks import pytorch_server

MODEL = {"network": "dcgan", "image_shape": (8, 8, 1), "classes": 2, "latent_dim": 4, "width": 8}
IMAGES, LABELS = np.zeros((4, 8, 8, 1), np.uint8), np.array([0, 1, 0, 1], np.int32)


@pytest.mark.parametrize(
    ("torch", "reason"),
    [
        ("raise ImportError('broken\\ninstallation')", "ImportError: broken"),
        ("import os; os._exit(7)", "its process ended with status 7"),
    ],
    ids=["it goes on", "it ended"],
)
def test_what_fails_in_the_process_is_told_every_time(monkeypatch, tmp_path, torch, reason):
    # Also where PyTorch is installed: the process looks for modules where this one does.
    (tmp_path / "torch.py").write_text(torch)
    monkeypatch.syspath_prepend(tmp_path)
    with pytorch_server.started(IMAGES, LABELS, "cpu") as ask:
        for _ in range(2):
            with pytest.raises(pytorch_server.Failed, match=f"^{reason}$"):
                ask(1, 2, **MODEL, compiled=False)


@pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="PyTorch is not installed")
def test_steps_are_run_in_another_process_which_ends():
    with pytorch_server.started(IMAGES, LABELS, "cpu") as ask:
        seconds = ask(2, 2, **MODEL, compiled=False)
        assert len(multiprocessing.active_children()) == 1
    assert multiprocessing.active_children() == []
    assert isinstance(seconds, float)
