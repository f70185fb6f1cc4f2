"""What a sweep found, as lines of text."""

import shlex
import sys

from acgan.reporting.grouping import group
from acgan.reporting.headline import headlines
from acgan.sweeping.left_out import left_out


def summary(plan, folder):
    """The step times, what follows from them, and where to find it all.

    Arguments:
        plan: an `acgan.sweeping.plan.Plan`.
        folder: an `acgan.sweeping.folder.SweepFolder`.
    """
    results = folder.results_so_far()
    lines = []
    for each in group(results + left_out(plan, results)):
        for device in each.devices:
            lines += ["", *_table(plan, device)]
        for headline in headlines(each):
            lines += ["", headline.title, *(f"  {line}" for line in headline.lines)]
    if plan.find_max_batch:
        lines += ["", *(_largest(policy, results) for policy in plan.policies)]
    lines += ["", f"results      {folder.results}"]
    page = (sys.executable, "-m", "acgan.report", str(folder.path), "--out=report")
    lines += [f"page         {shlex.join(page)}"]
    return "\n".join(lines)


def _table(plan, device):
    """Milliseconds a step, mean and extremes, a row a batch size and a column a policy."""
    sizes = sorted({size for _, size in device.cells})
    yield "ms a step" + "".join(f"{policy:>32}" for policy in plan.policies)
    for size in sizes:
        cells = (device.cells.get((policy, size)) for policy in plan.policies)
        yield f"{size:>9,}" + "".join(f"{_entry(cell):>32}" for cell in cells)


def _entry(cell):
    if cell is None:
        return "-"
    if not cell.fits:
        return "does not fit"
    step = cell.figure("step_ms")
    return f"{step.mean:,.1f} ({step.low:,.1f} to {step.high:,.1f})" if step else "failed"


def _largest(policy, results):
    """What is known of the largest batch that fits."""
    own = [result for result in results if result.policy == policy]
    fitting = [r.batch_size for r in own if r.status == "completed"]
    too_large = [r.batch_size for r in own if not r.fits]
    if fitting and too_large:
        words = f"{max(fitting):,} fits, {min(too_large):,} does not"
    elif fitting:
        words = f"{max(fitting):,} fits, no larger one was tried"
    elif too_large:
        words = f"{min(too_large):,} does not fit, no smaller one was tried"
    else:
        words = "no run was completed"
    return f"largest batch in {policy}: {words}"
