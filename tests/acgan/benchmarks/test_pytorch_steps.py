import contextlib
import importlib.util

import pytest

from acgan.benchmarks import loops, pytorch_server, pytorch_steps


def test_without_pytorch_the_row_says_so(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    reason = pytorch_steps.unavailable()
    assert reason.startswith("PyTorch is not installed: ")
    assert "[bench]" in reason and "\n" not in reason


def test_with_pytorch_the_row_is_measured(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: {"torch": "found"}[name])
    assert pytorch_steps.unavailable() is None


@pytest.fixture
def measured(monkeypatch):
    """Steps of 30 ms for this project, of 20 ms for PyTorch and 15 ms compiled.

    What is asked of PyTorch's process is appended to `asked`.
    """
    asked = []

    def ask(steps, batch_size, **arguments):
        asked.append((steps, batch_size, arguments))
        return 0.015 if arguments["compiled"] else 0.020

    @contextlib.contextmanager
    def started(images, labels, device):
        yield ask

    monkeypatch.setattr(pytorch_server, "started", started)
    monkeypatch.setattr(loops, "loop", lambda *arguments: lambda: 0.030)
    monkeypatch.setattr(pytorch_steps, "_version", lambda: "2.13.0")
    monkeypatch.setattr(pytorch_steps, "CASES", (("dcgan", "float32", (64,)),))
    return asked


def test_a_row_for_each_form(measured):
    eager, compiled = pytorch_steps.rows(3)
    assert eager.name == "step / step in PyTorch, eager, dcgan, float32, batch 64"
    assert compiled.name == "step / step in PyTorch, torch.compile, dcgan, float32, batch 64"
    assert (eager.row, eager.unit, eager.arithmetic) == (5, "ratio", 1.0)
    assert eager.ratio == pytest.approx(30 / 20)
    assert compiled.ratio == pytest.approx(30 / 15)
    assert eager.note == "30 / 20 ms, PyTorch 2.13.0"


def test_a_measurement_takes_as_many_steps_as_this_projects(measured):
    pytorch_steps.rows(3)
    eager = [steps for steps, _, arguments in measured if not arguments["compiled"]]
    # Two that warm it up, then 0.4 s / 0.020 s a measurement.
    assert eager == [1, 1, 20, 20, 20]
    assert {batch_size for _, batch_size, _ in measured} == {64}


def test_what_fails_is_left_out_with_a_line(measured, monkeypatch):
    @contextlib.contextmanager
    def started(images, labels, device):
        def ask(steps, batch_size, **arguments):
            if arguments["compiled"]:
                raise pytorch_server.Failed("InvalidCxxCompiler: no working C++ compiler")
            return 0.020

        yield ask

    monkeypatch.setattr(pytorch_server, "started", started)
    line, eager = pytorch_steps.rows(3)
    assert eager.ratio == pytest.approx(30 / 20)
    assert line == (
        "PyTorch, torch.compile, dcgan, float32, batch 64 (it needs a C++ compiler, such as g++): "
        "InvalidCxxCompiler: no working C++ compiler"
    )


@pytest.mark.parametrize("fast, sizes", [(True, {64, 256}), (False, set())])
def test_slow_bfloat16_is_left_out_with_a_line(measured, monkeypatch, fast, sizes):
    monkeypatch.setattr(pytorch_steps, "CASES", (("dcgan", "bfloat16", (64, 256)),))
    monkeypatch.setattr(pytorch_steps.hardware, "has_fast_bfloat16", lambda machine: fast)
    found = pytorch_steps.rows(5)
    assert {batch_size for _, batch_size, _ in measured} == sizes
    assert all(arguments["bfloat16"] for _, _, arguments in measured)
    line = "dcgan, bfloat16: no fast bfloat16 arithmetic here"
    assert [each for each in found if isinstance(each, str)] == ([] if fast else [line])
