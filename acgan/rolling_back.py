"""Going back to the last good checkpoint when training goes wrong, and trying more carefully."""

from acgan.checkpoints import read_checkpoint, step_of
from acgan.errors import UserError
from acgan.resuming import Before


class Diverged(UserError):
    """Training went wrong and ended.

    Attributes:
        finding: the `acgan.divergence.Finding`.
    """

    def __init__(self, message, finding):
        super().__init__(message)
        self.finding = finding


def train_with_rollbacks(make_run, before, say):
    """Trains, and as often as `--max_rollbacks` allows goes back and trains on.

    Each time both learning rates are multiplied by `--rollback_factor`.

    Arguments:
        make_run: `make_run(before)` gives an `acgan.training.Run`.
        before: the `acgan.resuming.Before` of a run that goes on; None for a new one.
        say: called with a line each time.

    Returns:
        The `Run` that came to an end.

    Raises:
        Diverged: training went wrong and `--on_divergence` is not rollback, or once too often.
    """
    while True:
        run = make_run(before)
        try:
            run.execute()
            return run
        except Diverged as error:
            before = step_back(run, error.finding)
            if before is None:
                raise
            latest = before.rollbacks[-1]
            say(
                f"{error.finding.words}; back to step {latest['to_step']:,} with the learning "
                f"rates times {latest['rate_factor']:g} (rollback {len(before.rollbacks)} of "
                f"{run.settings.max_rollbacks})"
            )


def step_back(run, finding):
    """The `Before` that a run goes on from after a finding, None if it may not.

    That is its newest good checkpoint; but if it went wrong before there was another one since the
    last time, the one before, if it is still there.
    """
    settings, rollbacks = run.settings, run.saving.rollbacks
    if run.interruption.received:
        return None
    if settings.on_divergence != "rollback" or len(rollbacks) >= settings.max_rollbacks:
        return None
    good = list(run.saving.checkpoints.good())
    if not good:
        return None
    gone_back_to = rollbacks[-1]["to_step"] if rollbacks else None
    path = good[1] if step_of(good[0]) == gone_back_to and len(good) > 1 else good[0]
    rollback = {
        "step": finding.step,
        "to_step": step_of(path),
        "rate_factor": run.saving.rate_factor * settings.rollback_factor,
        "kind": finding.kind,
        "words": finding.words,
    }
    # The next attempt is on the same clock: money counts from the process's start.
    return Before(
        {}, run.record.fields, read_checkpoint(path), (*rollbacks, rollback), run.saving.usd_before
    )
