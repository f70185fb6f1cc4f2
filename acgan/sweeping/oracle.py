"""The sweep's search space and trials, kept by keras-tuner: a trial is one batch size."""

import json

import keras_tuner
from keras_tuner.engine.trial import Trial, TrialStatus

from acgan.errors import UserError
from acgan.sweeping.max_batch import next_candidate
from callbacks.files import replacing

BATCH_SIZE = "batch_size"
WORST = {"max": 0.0, "min": float("inf")}  # objective of a batch size that nothing fits into
OBJECTIVES = {
    "images_per_second": "max",
    "usd_per_million_images": "min",
    "step_time_ms": "min",
}
_NO_LIMIT = 10**9  # of failed trials in a row: one that does not fit says nothing about the next


def fits_metric(policy):
    """Name of the trial's metric that is 1 if the batch size fits in this policy, 0 if not."""
    return f"fits_{policy}"


class BatchSizes(keras_tuner.Oracle):
    """Hands out a plan's batch sizes from small to large, then searches for the largest that fits.

    Unlike keras-tuner's own oracles its state survives being killed at any moment: every file is
    replaced at once, and a trial that did not end, or failed, is handed out again.

    Arguments:
        plan: an `acgan.sweeping.plan.Plan`.
        limit: the number of images, more than which no batch can have.
    """

    def __init__(self, plan, limit):
        space = keras_tuner.HyperParameters()
        largest = limit if plan.find_max_batch else max(plan.batch_sizes)
        space.Int(BATCH_SIZE, 1, max(largest, *plan.batch_sizes), default=min(plan.batch_sizes))
        super().__init__(
            objective=keras_tuner.Objective(plan.objective, OBJECTIVES[plan.objective]),
            hyperparameters=space,
            seed=1,  # nothing is drawn
            max_consecutive_failed_trials=_NO_LIMIT,
        )
        self.plan = plan
        self.limit = limit
        self.verbose = 0

    def populate_space(self, trial_id):
        size = self._next_batch_size()
        if size is None:
            return {"status": TrialStatus.STOPPED}
        values = {p.name: p.default for p in self.hyperparameters.space} | {BATCH_SIZE: size}
        return {"status": TrialStatus.RUNNING, "values": values}

    def sizes(self, policy, fits):
        """Batch sizes that were found to fit, or not to fit, in a policy."""
        name = fits_metric(policy)
        return [
            trial.hyperparameters.values[BATCH_SIZE]
            for trial in self.trials.values()
            if trial.metrics.exists(name)
            and trial.metrics.get_best_value(name) == (1.0 if fits else 0.0)
        ]

    def save(self):
        with replacing(self._get_oracle_fname()) as partial:
            partial.write_text(json.dumps(self.get_state()))

    def reload(self):
        """Goes on where a search was that ended or was killed.

        Raises:
            UserError: its files can't be read.
        """
        try:
            super().reload()
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            raise UserError(
                f"{self._project_dir} can't be read as a search's state ({error}): remove it to "
                "search anew; finished runs are kept"
            ) from error
        self.trials = dict(sorted(self.trials.items()))
        again = [i for i, t in self.trials.items() if t.status != TrialStatus.COMPLETED]
        for trial_id in again:
            self.trials[trial_id] = Trial(self.trials[trial_id].hyperparameters, trial_id)
        self._retry_queue = again[::-1]  # the last is taken first
        self.end_order = [trial_id for trial_id in self.end_order if trial_id not in again]

    def _save_trial(self, trial):
        path = f"{self._get_trial_dir(trial.trial_id)}/trial.json"
        with replacing(path) as partial:
            trial.save(str(partial))

    def _next_batch_size(self):
        tried = {trial.hyperparameters.values[BATCH_SIZE] for trial in self.trials.values()}
        for size in self.plan.batch_sizes:
            if size not in tried:
                return size
        if not self.plan.find_max_batch or self.ongoing_trials:  # whoever is at it searches on
            return None
        for policy in self.plan.policies:
            fitting, not_fitting = self.sizes(policy, True), self.sizes(policy, False)
            size = next_candidate(fitting, not_fitting, self.limit)
            if size is not None and size not in tried:
                return size
        return None
