"""Row 5: this project's step against the same networks and step in PyTorch."""

import functools
import importlib.metadata
import importlib.util
import statistics

from acgan.benchmarks import loops, pytorch_server
from acgan.benchmarks.measurement import measurement
from acgan.benchmarks.pairs import ratio, rounds
from acgan.model import ACGAN
from callbacks import hardware

POLICIES = {"float32": "float32", "bfloat16": "mixed_bfloat16"}  # PyTorch's autocast, Keras' policy
CASES = (  # network, precision, batch sizes
    ("dcgan", "float32", (64, 256)),
    ("dcgan", "bfloat16", (64, 256)),
    ("article", "float32", (64,)),
)
FORMS = {"eager": False, "torch.compile": True}  # whether compiled


def unavailable():
    """A line why the row can't be measured here, or None."""
    if importlib.util.find_spec("torch"):
        return None
    return "PyTorch is not installed: pip install -c constraints.txt -e '.[bench]' brings it"


def rows(pairs):
    """Both steps in bare loops, fed alike: each draws its batches from images in memory.

    PyTorch runs in eager mode and under `torch.compile`, in a process of its own. What fails there
    is left out with a line. Both frameworks take as many threads as they do by themselves.
    """
    device = "cuda" if loops.on_gpu() else "cpu"
    cases, left_out = _cases(pairs)
    with pytorch_server.started(*loops.random_images(), device) as ask:
        return [*left_out, *(row for case in cases for row in _rows(ask, *case))]


def _cases(pairs):
    """(network, precision, batch size, pairs) of each comparison, and lines on what is left out."""
    machine, cases, left_out = hardware.detect(), [], []
    for network, precision, batch_sizes in CASES:
        if precision == "bfloat16" and not hardware.has_fast_bfloat16(machine):
            # A step would take seconds, and nobody who has a choice would train so.
            left_out += [f"{network}, bfloat16: no fast bfloat16 arithmetic here"]
        else:
            cases += [(network, precision, size, pairs) for size in batch_sizes]
    return cases, left_out


def _rows(ask, network, precision, batch_size, pairs):
    case = f"{network}, {precision}, batch {batch_size}"
    theirs = {}
    for form, compiled in FORMS.items():
        try:
            theirs[form] = _timed(ask, network, precision, batch_size, compiled)
        except pytorch_server.Failed as error:
            hint = " (it needs a C++ compiler, such as g++)" if compiled else ""
            yield f"PyTorch, {form}, {case}{hint}: {error}"
    if not theirs:
        return
    own = loops.loop(ACGAN, network, POLICIES[precision], batch_size)
    times = list(zip(*rounds([own, *theirs.values()], pairs), strict=True))
    for form, others in zip(theirs, times[1:], strict=True):
        milliseconds = [1e3 * statistics.median(each) for each in (times[0], others)]
        yield measurement(
            5,
            f"step / step in PyTorch, {form}, {case}",
            ratio([a / b for a, b in zip(times[0], others, strict=True)]),
            arithmetic=1.0,
            note="{:.3g} / {:.3g} ms, PyTorch {}".format(*milliseconds, _version()),
        )


def _timed(ask, network, precision, batch_size, compiled):
    """As `loops.timed`, of a step in PyTorch's process."""
    run = functools.partial(
        ask,
        batch_size=batch_size,
        network=network,
        bfloat16=precision == "bfloat16",
        compiled=compiled,
        image_shape=loops.IMAGE_SHAPE,
        classes=loops.CLASSES,
        latent_dim=loops.LATENT_DIM,
        width=loops.WIDTH,
    )
    run(1)  # compiles
    return functools.partial(run, loops.steps_in(loops.MEASURE_SECONDS, run(1)))


def _version():
    return importlib.metadata.version("torch")
