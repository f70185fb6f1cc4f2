"""A run's progress in the terminal."""

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from callbacks.steps import StepCallback

TERMINAL_SECONDS = 0.25  # between two drawings of the bar
FILE_SECONDS = 10.0  # between two lines where the output is no terminal
LABELS = {
    "generator_loss": "G",
    "discriminator_loss": "D",
    "class_loss_real": "class real",
    "class_loss_generated": "generated",
}


class ProgressBar(StepCallback):
    """Shows how far a run is, with losses, images per second and the time left.

    On a terminal it is one line drawn again and again; elsewhere a line every ten seconds.

    Arguments:
        batch_size: images per step.
        share_done: `share_done()` gives the share of the run that is done, 0..1.
        spent: `spent()` gives the seconds trained so far.
        output: where to write; default standard output.
        first_step: as for `StepCallback`.
        clock: seconds, monotonic.
    """

    def __init__(
        self, batch_size, share_done, spent, output=None, first_step=0, clock=time.monotonic
    ):
        super().__init__(first_step)
        self.batch_size = batch_size
        self.share_done = share_done
        self.spent = spent
        self.console = Console(file=output or sys.stdout, highlight=False)
        self._clock = clock
        self._bar = None
        self._shown_at = None  # reading of the clock
        self._shown = (0, 0.0)  # steps and seconds of training then
        self.losses = {}  # the latest, by name

    def on_train_begin(self, logs=None):
        if self.console.is_terminal:
            self._bar = Progress(
                BarColumn(24),
                TextColumn("{task.percentage:>3.0f} %  {task.description}"),
                console=self.console,
                auto_refresh=False,
            )
            self._bar.add_task("compiling the training step", total=1.0)
            self._bar.start()

    def on_steps_end(self, executed, logs):
        self.losses = logs
        now = self._clock()
        pause = TERMINAL_SECONDS if self._bar else FILE_SECONDS
        if self._shown_at is None or now - self._shown_at >= pause:
            self._shown_at = now
            self._show()

    def on_train_end(self, logs=None):
        self._show()
        self.close()

    def close(self):
        """Gives the terminal back; needed where training ends with an error."""
        if self._bar:
            self._bar.stop()

    def say(self, message):
        """Writes a line above the bar."""
        self.console.print(message, markup=False, soft_wrap=True)

    def _show(self):
        share, spent = self.share_done(), self.spent()
        steps_before, spent_before = self._shown
        images = (self.steps_done - steps_before) * self.batch_size
        steady = steps_before and spent_before < spent  # not the first line, after compilation
        rate = images / (spent - spent_before) if steady else None
        line = describe(self.steps_done, rate, share, spent if steady else 0.0, self.losses)
        self._shown = (self.steps_done, spent)
        if self._bar:
            self._bar.update(self._bar.task_ids[0], completed=share, description=line, refresh=True)
        else:
            self.console.print(f"{share:>4.0%}  {line}", soft_wrap=True)


def describe(steps, images_per_second, share_done, seconds, losses):
    """The line beside the bar.

    Arguments:
        steps: training steps done.
        images_per_second: rate since the last line, None if unknown.
        share_done: share of the run that is done, 0..1.
        seconds: seconds trained so far.
        losses: losses by name; those in `LABELS` are shown.
    """
    parts = [f"step {steps:,}"]
    if seconds and 0 < share_done < 1:
        parts.append(f"{as_time(seconds * (1 - share_done) / share_done)} left")
    if images_per_second is not None:
        parts.append(f"{images_per_second:,.0f} images/s")
    shown = [f"{label} {losses[name]:.2f}" for name, label in LABELS.items() if name in losses]
    if shown:
        parts.append("loss " + " ".join(shown))
    return " · ".join(parts)


def as_time(seconds):
    """Seconds as m:ss or h:mm:ss."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
