"""Row 8: what a run takes from the start of its process to the end of its first step."""

from acgan.benchmarks.measurement import measurement
from acgan.benchmarks.pairs import fewer, ratio
from acgan.benchmarks.processes import BATCH, trained

PARTS = ("imports", "data", "build", "compile")
WHAT = f"dcgan, mnist5k, batch {BATCH}"


def rows(pairs):
    """Seconds in all and by part, of several processes of `acgan.train`."""
    starts = trained(fewer(pairs))
    whole = [sum(start[part] for part in PARTS) for start in starts]
    parts = [_row(f"start-up: {part}", [start[part] for start in starts]) for part in PARTS]
    return [_row(f"start-up to the first step, {WHAT}", whole), *parts]


def _row(name, seconds):
    return measurement(8, name, ratio(seconds), "s")
