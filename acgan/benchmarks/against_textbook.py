"""Row 2: this project's step against the textbooks' alternating one."""

from acgan.benchmarks import loops
from acgan.benchmarks.arithmetic import arithmetic, flops_note
from acgan.benchmarks.measurement import measurement
from acgan.benchmarks.pairs import compare
from acgan.benchmarks.textbook import TextbookACGAN
from acgan.model import ACGAN


def rows(pairs):
    """Both steps in bare loops, fed by the pipeline: same networks and losses."""
    return [_row(network, pairs) for network in loops.NETWORKS]


def _row(network, pairs):
    ratio = compare(loops.loop(ACGAN, network), loops.loop(TextbookACGAN, network), pairs)
    both = [loops.model(kind, network) for kind in (ACGAN, TextbookACGAN)]
    return measurement(
        2,
        f"step / textbook's alternating step, {network}",
        ratio,
        arithmetic=arithmetic(*both, loops.BATCH),
        note=flops_note(*both, loops.BATCH),
    )
