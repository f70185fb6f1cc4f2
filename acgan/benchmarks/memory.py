"""Row 9: the most memory that a run holds."""

from acgan.benchmarks.measurement import measurement
from acgan.benchmarks.pairs import fewer, ratio
from acgan.benchmarks.processes import STEPS, trained
from acgan.benchmarks.startup import WHAT

PEAKS = {
    "memory_mb": f"peak memory of the process, {STEPS} steps of {WHAT}",
    "gpu_memory_mb": f"peak memory of the GPU, {STEPS} steps of {WHAT}",
}


def rows(pairs):
    """Megabytes (10^6 bytes), of several processes of `acgan.train`; what has none is left out."""
    runs = trained(fewer(pairs))
    return [
        measurement(9, name, ratio([run[peak] for run in runs]), "MB")
        for peak, name in PEAKS.items()
        if all(run[peak] is not None for run in runs)
    ]
