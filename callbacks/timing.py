"""Arithmetic on step times: no clock, no model, no logger."""

from array import array
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Rates:
    """What a number of measured steps say.

    `mean_ms`, `p50_ms`, `p95_ms`: milliseconds a step; `images_per_second`, `batches_per_second`:
    over all of them; `measured_steps`: how many.
    """

    mean_ms: float
    p50_ms: float
    p95_ms: float
    images_per_second: float
    batches_per_second: float
    measured_steps: int


class StepTimes:
    """Collects the times of executions of one or more training steps.

    With several steps in an execution each of them counts with their mean. `state` is that of
    another one, to go on with.

    Example:
        times = StepTimes()
        times.add(seconds=0.2, steps=4, images=256)
        times.rates().mean_ms  # 50.0
    """

    def __init__(self, state=None):
        before = state or {"step_ms": (), "seconds": 0.0, "images": 0}
        self._step_ms = array("d", before["step_ms"])
        self._seconds = before["seconds"]
        self._images = before["images"]

    def state(self):
        """All that was added, as JSON holds it, for the `state` of another `StepTimes`."""
        step_ms = self._step_ms.tolist()
        return {"step_ms": step_ms, "seconds": self._seconds, "images": self._images}

    def add(self, seconds, steps, images):
        """Notes one execution: its seconds, its training steps, the images in them."""
        self._step_ms.extend([seconds * 1000 / steps] * steps)
        self._seconds += seconds
        self._images += images

    def mean_ms(self):
        """Milliseconds a step, None before anything was added; cheaper than all of `rates`."""
        return self._seconds * 1000 / len(self._step_ms) if self._step_ms else None

    def rates(self):
        """The `Rates` of what was added, None before anything was."""
        if not self._step_ms:
            return None
        steps = len(self._step_ms)
        p50, p95 = np.percentile(np.frombuffer(self._step_ms), [50, 95])
        return Rates(
            mean_ms=self.mean_ms(),
            p50_ms=float(p50),
            p95_ms=float(p95),
            images_per_second=self._images / self._seconds,
            batches_per_second=steps / self._seconds,
            measured_steps=steps,
        )


def tflops_per_second(flops_per_step, step_ms):
    """Achieved TFLOP/s, None if either is unknown."""
    if flops_per_step is None or step_ms is None:
        return None
    return flops_per_step / (step_ms / 1000) / 1e12


def mfu_percent(achieved_tflops, peak_tflops):
    """Model FLOP/s utilization: achieved over peak TFLOP/s in percent, None if either is unknown.

    Source of the measure: Chowdhery et al. 2022 (arXiv:2204.02311), appendix B.
    """
    if achieved_tflops is None or not peak_tflops:
        return None
    return 100 * achieved_tflops / peak_tflops
