"""How long the rest of a sweep will take, from the runs that it has done."""

import statistics


def seconds_left(done, pending):
    """An estimate, None before the first completed run.

    A run takes as long as the median of those with its policy and batch size. Where there is none
    yet, time grows with the batch size from the nearest one that was measured, but for what comes
    on top of the training, and runs with a limit in minutes, which take as long as each other.

    Arguments:
        done: `acgan.results.Result`s; those that were not completed say nothing of the time.
        pending: (policy, batch size) of each run to come.
    """
    measured = [
        result
        for result in done
        if result.status == "completed"
        and result.total_seconds
        and result.train_seconds is not None
    ]
    if not measured:
        return None
    return sum(_run_seconds(measured, *run) for run in pending)


def _run_seconds(measured, policy, batch_size):
    same = [r for r in measured if (r.policy, r.batch_size) == (policy, batch_size)]
    if same:
        return statistics.median(r.total_seconds for r in same)
    nearest = min(measured, key=lambda r: (abs(r.batch_size - batch_size), r.policy != policy))
    timed = nearest.config.get("minutes") is not None
    growth = 1.0 if timed else batch_size / nearest.batch_size
    return nearest.total_seconds + nearest.train_seconds * (growth - 1)
