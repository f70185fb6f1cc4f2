import importlib.util
import multiprocessing

import numpy as np
import pytest

from acgan.benchmarks import pytorch_server

MODEL = {"network": "dcgan", "image_shape": (8, 8, 1), "classes": 2, "latent_dim": 4, "width": 8}
IMAGES, LABELS = np.zeros((4, 8, 8, 1), np.uint8), np.array([0, 1, 0, 1], np.int32)


def test_what_fails_in_the_process_is_told_and_it_goes_on(monkeypatch, tmp_path):
    # Also where PyTorch is installed: the process looks for modules where this one does.
    (tmp_path / "torch.py").write_text("raise ImportError('broken\\ninstallation')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytorch_server.started(IMAGES, LABELS, "cpu") as ask:
        for _ in range(2):
            with pytest.raises(pytorch_server.Failed, match=r"^ImportError: broken$"):
                ask(1, 2, **MODEL, compiled=False)


def test_a_process_that_ended_is_told(monkeypatch, tmp_path):
    (tmp_path / "torch.py").write_text("import os; os._exit(7)")
    monkeypatch.syspath_prepend(tmp_path)
    with pytorch_server.started(IMAGES, LABELS, "cpu") as ask:
        for _ in range(2):
            with pytest.raises(pytorch_server.Failed, match=r"^its process ended with status 7$"):
                ask(1, 2, **MODEL, compiled=False)


@pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="PyTorch is not installed")
def test_steps_are_run_in_another_process_which_ends():
    with pytorch_server.started(IMAGES, LABELS, "cpu") as ask:
        seconds = ask(2, 2, **MODEL, compiled=False)
        assert len(multiprocessing.active_children()) == 1
    assert multiprocessing.active_children() == []
    assert isinstance(seconds, float)
