"""Names of what a sweep writes, and what its runs have measured so far."""

import shutil
from pathlib import Path

from acgan.errors import UserError
from acgan.locking import alone
from acgan.result_reading import read_result
from acgan.results_table import write_results
from acgan.runs import RunFolder
from acgan.sweeping.left_out import left_out
from acgan.sweeping.plan import Plan
from acgan.sweeping.time_left import seconds_left


class SweepFolder:
    """A sweep's folder.

    Attributes:
        path: the folder; `runs`, `logs` (what the runs printed), `tuner` and in it `oracle` (the
            search's state), `tensorboard` and `results` (results.csv) are inside.
    """

    def __init__(self, path):
        self.path = Path(path)
        self.runs = self.path / "runs"
        self.logs = self.path / "logs"
        self.tuner = self.path / "tuner"
        self.oracle = self.tuner / "oracle.json"
        self.tensorboard = self.path / "tensorboard"
        self.results = self.path / "results.csv"

    def run(self, batch_size, policy, repeat):
        """The `RunFolder` of one run."""
        return RunFolder(self.runs / Plan.run_name(batch_size, policy, repeat))

    def log(self, run_folder):
        """The file that a run's output goes to."""
        return self.logs / f"{run_folder.path.name}.log"

    def result(self, batch_size, policy, repeat):
        """The `acgan.results.Result` of a finished run, None of one that is still to be done."""
        result = self._read(self.run(batch_size, policy, repeat).record)
        return result if result is not None and is_finished(result) else None

    def results_so_far(self):
        """A `Result` for each run that has a record."""
        found = map(self._read, sorted(self.runs.glob("b*-*-[0-9]*/run.json")))
        return [result for result in found if result is not None]

    def standing(self, plan):
        """Numbers of runs done and of all runs of a plan, and an estimate of the seconds left."""
        results = self.results_so_far()
        finished = [result for result in results if is_finished(result)]
        over = finished + left_out(plan, finished)  # with those that failed before one did not fit
        names = {result.folder.name for result in over}
        pending = [
            (policy, size)
            for size in plan.batch_sizes
            for policy, repeat in plan.runs(size)
            if plan.run_name(size, policy, repeat) not in names
        ]
        return len(over), len(over) + len(pending), seconds_left(results, pending)

    def write_results(self, plan):
        """Writes results.csv: a row for each run so far, and for each that can't fit."""
        results = self.results_so_far()
        write_results(results + left_out(plan, results), self.results)

    def clear(self, run_folder):
        """Removes what an interrupted run left."""
        shutil.rmtree(run_folder.path, ignore_errors=True)

    def _read(self, record):
        try:
            return read_result(record, self.path)
        except UserError:  # not there yet, or cut off by whatever ended the run
            return None


def is_finished(result):
    """Whether a run need not be done again: it was completed, or its batch did not fit."""
    return result.status == "completed" or not result.fits


def alone_in(folder, name):
    """Refuses a second process that calls itself `name` in a sweep's folder.

    Raises:
        UserError: on entering the block, if another process is in one.
    """
    return alone(
        Path(folder) / f".{name}.lock",
        f"--out={folder}: another process works on it, wait for its end",
    )
