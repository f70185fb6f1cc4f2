"""One run of a sweep: acgan.train in a process of its own."""

import contextlib
import csv
import io
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

PATIENCE_SECONDS = 60  # for a run that was told to end
# The kernel takes the process with the highest score when memory is full: the run, not the sweep.
_OOM_SCORE = "800"
_LONGEST = 300  # characters of a message
# What a process says that ends itself since it gets no memory.
_NO_MEMORY = ("bad_alloc", "MemoryError", "out of memory", "OOM when allocating")
# TensorFlow's allocator says so of a first try, after which it goes on with less.
_NO_HARM = "is not a failure"


@dataclass(frozen=True)
class Ending:
    """How a run's process ended.

    Attributes:
        status: exit status, negative for a signal.
        message: the last line that it printed, or the signal.
        out_of_memory: whether the kernel killed it, as it does when memory is full, or it said
            itself that it got none.
    """

    status: int
    message: str
    out_of_memory: bool = False


def train(flags, log, module="acgan.train"):
    """Runs `acgan.train` and waits for its end. It ends with this process, however that ends.

    Arguments:
        flags: values by name.
        log: file for what it prints; what is there is replaced.
        module: the command to run.

    Returns:
        An `Ending`.

    Raises:
        KeyboardInterrupt: this process was told to end; the run has ended, too.
    """
    command = [sys.executable, "-m", "acgan.sweeping.bound", str(os.getpid()), module]
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
        try:
            with contextlib.suppress(OSError):
                Path(f"/proc/{process.pid}/oom_score_adj").write_text(_OOM_SCORE)
            status = process.wait()
        except BaseException:
            try:
                process.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(PATIENCE_SECONDS)
            finally:  # a second Ctrl-C does not wait
                process.kill()
                process.wait()
            raise
    return _ending(status, log.read_text(errors="replace"))


def as_arguments(flags):
    """Flag values as command-line arguments; None is left to the flag's default."""
    arguments = []
    for name, value in flags.items():
        if isinstance(value, bool):
            arguments.append(f"--{name}" if value else f"--no{name}")
        elif isinstance(value, list | tuple):
            arguments.append(f"--{name}={_as_list(value)}")
        elif value is not None:
            arguments.append(f"--{name}={value}")
    return arguments


def _as_list(values):
    """Values separated by commas, those with a comma in them in quotes."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(values)
    return text.getvalue()


def _ending(status, printed):
    out_of_memory = status == -signal.SIGKILL or (status != 0 and _got_no_memory(printed))
    if status < 0:
        return Ending(status, f"ended by {signal.Signals(-status).name}", out_of_memory)
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    said = lines[-1].removeprefix("error: ") if lines else "nothing was printed"
    return Ending(status, said[:_LONGEST], out_of_memory)


def _got_no_memory(printed):
    lines = (line for line in printed.splitlines() if _NO_HARM not in line)
    return any(words in line for line in lines for words in _NO_MEMORY)
