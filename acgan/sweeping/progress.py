"""A sweep's progress in the terminal."""

import sys

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from acgan.progress import as_time


class SweepProgress:
    """A line for each run that ends; on a terminal a bar over all runs below them.

    Arguments:
        output: where to write; default standard output.
    """

    def __init__(self, output=None):
        self.console = Console(file=output or sys.stdout, highlight=False)
        self._bar = None

    def __enter__(self):
        if self.console.is_terminal:
            self._bar = Progress(
                BarColumn(24),
                MofNCompleteColumn(),
                TextColumn("runs  {task.description}"),
                console=self.console,
            )
            self._bar.add_task("", total=None)
            self._bar.start()
        return self

    def __exit__(self, *_):
        if self._bar:
            self._bar.stop()

    def begin(self, name, done, total, seconds_left):
        """Shows which run is being done.

        Arguments:
            name: the run in a few words.
            done, total: numbers of runs.
            seconds_left: an estimate, None if unknown.
        """
        if self._bar:
            left = "" if seconds_left is None else f"{as_time(seconds_left)} left · "
            self._bar.update(0, completed=done, total=total, description=left + name)

    def end(self, name, outcome, done, total, seconds_left):
        """Says how a run ended; arguments as for `begin`."""
        if self._bar:
            self._bar.update(0, completed=done, total=total)
        left = f" · {as_time(seconds_left)} left" if seconds_left and not self._bar else ""
        self.say(f"{done:>{len(str(total))}}/{total}  {name}: {outcome}{left}")

    def say(self, line):
        """Writes a line above the bar."""
        self.console.print(line, markup=False, soft_wrap=True)
