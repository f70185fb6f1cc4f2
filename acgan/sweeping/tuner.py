"""Runs a sweep's trials, all policies and repeats of a batch size in turn."""

import contextlib
import statistics

import keras_tuner
from keras_tuner.engine.base_tuner import BaseTuner

from acgan.errors import UserError
from acgan.runs import OUT_OF_MEMORY, amend_record, read_record
from acgan.sweeping.hparams import write_hparams
from acgan.sweeping.oracle import BATCH_SIZE, OBJECTIVES, WORST, BatchSizes, fits_metric

FAILURES_IN_A_ROW = 3  # after which a sweep ends: something is wrong with more than one run
_FIGURES = {"step_time_ms": "step_ms"}  # objectives that a `Result` calls by another name


class SweepTuner(BaseTuner):
    """keras-tuner's tuner with a trial's runs in processes of their own.

    With keras-tuner's `KERASTUNER_*` variables in the environment it is the chief, which hands out
    trials, or one of the workers. Runs that are finished already are not done again.

    Arguments:
        plan: an `acgan.sweeping.plan.Plan`.
        folder: the `acgan.sweeping.folder.SweepFolder`.
        limit: the number of images, more than which no batch can have.
        part: the `acgan.sweeping.machines.Part` of this process.
        device: the machine's GPUs or CPUs in a few words.
        train: `train(flags, log)` does a run, see `acgan.sweeping.process.train`.
        progress: an `acgan.sweeping.progress.SweepProgress`.

    Attributes:
        failed: names of the runs that failed for another reason than too little memory.

    Raises:
        UserError: the search was begun on other hardware or with other flags, by a process before
            this one or by another worker, or its files can't be read.
    """

    def __init__(self, plan, folder, limit, part, device, train, progress):
        oracle = BatchSizes(plan, limit)
        super().__init__(oracle, directory=folder.path, project_name=folder.tuner.name)
        self.plan = plan
        self.folder = folder
        self.train = train
        self.progress = progress
        self.failed = []  # names of runs
        self._failures = 0  # in a row
        if self.oracle is oracle and folder.oracle.exists():
            oracle.reload()
        self._join(None if part.is_chief else device)

    def run_trial(self, trial):
        size = trial.hyperparameters.values[BATCH_SIZE]
        for policy, repeat in self.plan.runs(size):
            if self._may_fit(policy, size) and not self.folder.result(size, policy, repeat):
                self._run(size, policy, repeat)
        return self._verdict(size)

    def on_search_begin(self):
        self._write()  # what a process that was killed could not

    def on_trial_end(self, trial):
        size = trial.hyperparameters.values[BATCH_SIZE]
        runs = [(p, r) for p, r in self.plan.runs(size) if self._may_fit(p, size)]
        failed = [run for run in runs if not self.folder.result(size, *run)]
        if failed or not runs:
            trial.status = keras_tuner.engine.trial.TrialStatus.FAILED
            trial.message = f"{len(failed)} runs failed" if failed else "no policy's batch fits"
        super().on_trial_end(trial)

    def save(self):
        """Keeps the search's state; a tuner has none of its own."""
        if isinstance(self.oracle, BatchSizes):
            self.oracle.save()

    def _join(self, device):
        """Agrees with the other processes on the plan and the device; the first to come decides."""
        own = keras_tuner.HyperParameters()
        own.Fixed("plan", self.plan.digest())
        if device:  # the chief may be a machine of another kind: it does no runs
            own.Fixed("device", device)
        self.oracle.update_space(own)
        agreed = self.oracle.get_space().values
        if agreed["plan"] != own.values["plan"]:
            raise UserError("the chief's sweep has other flags: start all of them with the same")
        if device and agreed["device"] != device:
            raise UserError(
                f"this machine has {device}, the sweep is of {agreed['device']}: give it an --out "
                "of its own, and acgan.report both"
            )

    def _may_fit(self, policy, size):
        """Whether no batch of this size or a smaller one was found not to fit."""
        results = self.folder.results_so_far()
        return not any(r.policy == policy and not r.fits and r.batch_size <= size for r in results)

    def _run(self, size, policy, repeat):
        run_folder = self.folder.run(size, policy, repeat)
        self.folder.clear(run_folder)
        name = f"batch {size} {policy} ({repeat} of {self.plan.repeats})"
        self.progress.begin(name, *self._standing())
        flags = {**self.plan.run_flags(policy, size), "run_dir": run_folder.path}
        ending = self.train(flags, self.folder.log(run_folder))
        result = self.folder.result(size, policy, repeat)
        if result is None and ending.out_of_memory:
            self._note_out_of_memory(run_folder, ending)
            result = self.folder.result(size, policy, repeat)
        self._write()
        self.progress.end(name, _outcome(result, ending), *self._standing())
        if result:
            self._failures = 0
            return
        self.failed.append(run_folder.path.name)
        self._failures += 1
        if self._failures == FAILURES_IN_A_ROW:
            raise keras_tuner.errors.FatalError(
                f"{FAILURES_IN_A_ROW} runs failed in a row, the last with: {ending.message} (see "
                f"{self.folder.log(run_folder)}); the same command goes on from here"
            )

    def _note_out_of_memory(self, run_folder, ending):
        """Says in a record what its process could not say, or did not recognize."""
        with contextlib.suppress(UserError):  # without a record it is a failure of another kind
            said = read_record(run_folder.record)["message"]
            amend_record(
                run_folder.record,
                status="failed",
                failure=OUT_OF_MEMORY,
                message=said or f"the batch does not fit into memory: {ending.message}",
            )

    def _write(self):
        self.folder.write_results(self.plan)
        finished = [r for r in self.folder.results_so_far() if r.status == "completed"]
        write_hparams(self.plan, finished, self.folder.tensorboard)

    def _verdict(self, size):
        """The trial's metrics: the objective, and for each policy whether the batch fits."""
        figure = _FIGURES.get(self.plan.objective, self.plan.objective)
        direction = OBJECTIVES[self.plan.objective]
        results = [r for r in self.folder.results_so_far() if r.batch_size == size]
        means, fits = [], {}
        for policy in self.plan.policies:
            own = [r for r in results if r.policy == policy and r.status == "completed"]
            values = [v for v in (getattr(r, figure) for r in own) if v is not None]
            means += [statistics.fmean(values)] if values else []
            if own or not self._may_fit(policy, size):
                fits[fits_metric(policy)] = float(bool(own))
        best = max if direction == "max" else min
        return {self.plan.objective: best(means, default=WORST[direction]), **fits}

    def _standing(self):
        """Numbers of runs done and of all, and an estimate of the seconds left."""
        return self.folder.standing(self.plan)


def _outcome(result, ending):
    if result is None:
        return f"failed: {ending.message}"
    if not result.fits:
        return "does not fit into memory"
    if result.step_ms is None:
        return "done, no step was measured"
    words = f"{result.step_ms:,.1f} ms a step, {result.images_per_second:,.0f} images/s"
    return words if result.fid is None else f"{words}, FID {result.fid:.2f}"
