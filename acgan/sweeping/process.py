"""One run of a sweep: acgan.train in a process of its own."""

import contextlib
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

PATIENCE_SECONDS = 60  # for a run that was told to end
# The kernel takes the process with the highest score when memory is full: the run, not the sweep.
_OOM_SCORE = "800"
# What a process says that ends itself since it gets no memory.
_NO_MEMORY = ("bad_alloc", "MemoryError", "out of memory", "OOM when allocating")


@dataclass(frozen=True)
class Ending:
    """How a run's process ended: its exit `status`, negative for a signal, and a `message`."""

    status: int
    message: str

    @property
    def out_of_memory(self):
        """Whether the kernel ended it, as it does when memory is full, or it said so itself."""
        if self.status == -signal.SIGKILL:
            return True
        return self.status != 0 and any(words in self.message for words in _NO_MEMORY)


def train(flags, log):
    """Runs `acgan.train` and waits for its end. It ends with this process, however that ends.

    Arguments:
        flags: values by name.
        log: file for what it prints.

    Raises:
        KeyboardInterrupt: this process was told to end; the run has ended, too.
    """
    command = [sys.executable, "-m", "acgan.sweeping.bound", str(os.getpid()), "acgan.train"]
    log = Path(log)
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, *as_arguments(flags)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C in the terminal is for the sweep, which passes it on
        )
        with contextlib.suppress(OSError):
            Path(f"/proc/{process.pid}/oom_score_adj").write_text(_OOM_SCORE)
        try:
            status = process.wait()
        except BaseException:
            process.terminate()
            try:
                process.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            raise
    return Ending(status, _last_words(log, status))


def as_arguments(flags):
    """Flag values as command-line arguments; None is left to the flag's default."""
    arguments = []
    for name, value in flags.items():
        if isinstance(value, bool):
            arguments.append(f"--{name}" if value else f"--no{name}")
        elif isinstance(value, list | tuple):
            arguments.append(f"--{name}={','.join(map(str, value))}")
        elif value is not None:
            arguments.append(f"--{name}={value}")
    return arguments


def _last_words(log, status):
    """The last line that was printed, or the signal that ended the process."""
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines()]
    said = next((line for line in reversed(lines) if line), "nothing was printed")
    if status < 0:
        return f"ended by {signal.Signals(-status).name} ({said})"
    return said.removeprefix("error: ")
