"""Runs that a sweep does not do, since their batch can't fit."""

import contextlib
import dataclasses

from acgan.errors import UserError
from acgan.results import FIGURES, NOT_RUN
from acgan.sweeping.plan import read_plan


def with_left_out(results):
    """`Result`s, and those that the sweeps among them left out; a plan that is damaged adds none.

    Arguments:
        results: `acgan.results.Result`s of any sweeps and runs.
    """
    added = []
    for sweep in sorted({result.sweep for result in results if result.sweep}):
        with contextlib.suppress(UserError):
            own = [result for result in results if result.sweep == sweep]
            added += left_out(read_plan(sweep), own)
    return (*results, *added)


def left_out(plan, results):
    """A `Result` without figures for each run of the plan that is not done, as its batch can't fit.

    Arguments:
        plan: an `acgan.sweeping.plan.Plan`.
        results: `acgan.results.Result`s of the runs that were done.
    """
    done = {result.folder.name for result in results}
    rows = []
    for policy in plan.policies:
        too_large = [r for r in results if r.policy == policy and not r.fits]
        if not too_large:
            continue
        smallest = min(too_large, key=lambda result: result.batch_size)
        for size in plan.batch_sizes:
            if size < smallest.batch_size:
                continue
            repeats = {
                plan.run_name(size, policy, repeat): repeat
                for tried, repeat in plan.runs(size)
                if tried == policy
            }
            rows += [
                dataclasses.replace(
                    smallest,
                    folder=smallest.folder.with_name(name),
                    repeat=repeat,
                    batch_size=size,
                    config={**smallest.config, "batch_size": size},
                    status=NOT_RUN,
                    failure=None,
                    message=f"a batch of {smallest.batch_size} does not fit",
                    started=None,
                    steps=0,
                    history=(),
                    **dict.fromkeys(FIGURES),
                )
                for name, repeat in repeats.items()
                if name not in done
            ]
    return rows
