"""Groups to draw, and panels as drawn."""

import pytest
from matplotlib.figure import Figure

from acgan.reporting.grouping import group
from acgan.result_reading import read_results


@pytest.fixture
def only_group(write_sweep, tmp_path):
    """The one `Group` of a sweep with these times; arguments as of `write_sweep`."""

    def make(times, **changes):
        (alone,) = group(read_results([write_sweep(tmp_path / "sweep", times, **changes)]).runs)
        return alone

    return make


@pytest.fixture
def article_group(three_devices):
    """The `Group` of the article's three GPUs: P100, T4, V100."""
    (alone,) = group(read_results([three_devices]).runs)
    return alone


@pytest.fixture
def drawn():
    """The axes that a panel drew on."""

    def draw(panel):
        axes = Figure(dpi=72).subplots(len(panel.heights), squeeze=False)[:, 0]
        panel.draw(*axes)
        return list(axes)

    return draw
