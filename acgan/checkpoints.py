"""A run's checkpoints: everything that training goes on from, one file each, whole or not there."""

import contextlib
import json
import os
import re
import shutil
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from acgan.errors import UserError
from callbacks.files import replacing

_STATE = "state"  # name of the array that holds the JSON
_NAME = re.compile(r"step-(\d{9})\.npz")


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint holds.

    Attributes:
        path: the file.
        step: training steps attempted when it was written.
        arrays: numpy arrays by name.
        state: what else there is to remember, as JSON holds it.
    """

    path: Path
    step: int
    arrays: dict
    state: dict


class Checkpoints:
    """The checkpoints in a folder.

    Arguments:
        folder: made at the first `save`.
        keep: how many are kept, at least 1, and the newest good one in any case; older ones are
            removed.
    """

    def __init__(self, folder, keep=3):
        self.folder = Path(folder)
        self.keep = keep

    def save(self, step, arrays, state, beside=None):
        """Writes a checkpoint; when this returns it is on disk and survives a power failure.

        Arguments:
            step: training steps attempted.
            arrays: numpy arrays by name.
            state: a dictionary that JSON can hold; `is_good` in it says whether the checkpoint is
                worth coming back to.
            beside: a file to keep with it, such as "generator.keras", of which it takes the suffix;
                one that does not exist is left out.

        Returns:
            The file's path.

        Raises:
            OSError: it can't be written; earlier ones are as they were.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"step-{step:09}.npz"
        if beside is not None and beside.exists():
            with replacing(path.with_suffix(beside.suffix)) as partial:
                shutil.copyfile(beside, partial)
        with replacing(path) as partial, open(partial, "wb") as file:
            text = np.frombuffer(json.dumps(state).encode(), np.uint8)
            np.savez(file, **{_STATE: text}, **arrays)
            file.flush()
            os.fsync(file.fileno())
        _sync_folder(self.folder)
        newest_good = next(self.good(), None)
        for old in self.paths()[: -self.keep]:
            if old != newest_good:
                self._remove(old)
        return path

    def paths(self):
        """The checkpoints' files, the oldest first."""
        return sorted(path for path in self.folder.glob("step-*.npz") if _NAME.fullmatch(path.name))

    def good(self):
        """Yields the files of those worth coming back to, the newest first."""
        for path in reversed(self.paths()):
            with contextlib.suppress(UserError):  # a damaged one is not
                if read_state(path).get("is_good"):
                    yield path

    def newest(self, report=lambda line: None):
        """The newest `Checkpoint` that can be read, None if there are none at all.

        Arguments:
            report: called with a line for each one that is damaged, where an older one is not.

        Raises:
            UserError: there are some, but none can be read.
        """
        damaged = []
        for path in reversed(self.paths()):
            try:
                found = read_checkpoint(path)
            except UserError as error:
                damaged.append(str(error))
                continue
            for line in damaged:
                report(f"{line}: step {found.step:,} is taken in its place")
            return found
        if damaged:
            raise UserError(
                f"{damaged[0]}, nor any other there: restore one, or remove {self.folder} to begin "
                "at step 0"
            )
        return None

    def drop_newer(self, step):
        """Removes checkpoints of steps after `step`, and what a killed process left behind."""
        for path in self.paths():
            if step_of(path) > step:
                self._remove(path)
        for partial in self.folder.glob(".step-*.part.*"):
            partial.unlink(missing_ok=True)

    def _remove(self, path):
        path.unlink(missing_ok=True)
        for beside in self.folder.glob(f"{path.stem}.*"):
            beside.unlink(missing_ok=True)


def read_checkpoint(path):
    """The `Checkpoint` in a file.

    Raises:
        UserError: it is not one, damaged, or can't be opened.
    """
    with _opened(path) as file:
        arrays = {name: file[name] for name in file.files}
        state = json.loads(arrays.pop(_STATE).tobytes())
    return Checkpoint(Path(path), step_of(path), arrays, state)


def read_state(path):
    """The `Checkpoint.state` in a file, without reading the arrays; errors as `read_checkpoint`."""
    with _opened(path) as file:
        return json.loads(file[_STATE].tobytes())


def step_of(path):
    """The step in a checkpoint's name."""
    return int(_NAME.fullmatch(Path(path).name)[1])


@contextlib.contextmanager
def _opened(path):
    try:
        with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
            yield file
    except OSError as error:
        raise UserError(f"{path} can't be read ({error.strerror or error})") from error
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise UserError(f"{path} is damaged or no checkpoint") from error


def _sync_folder(folder):
    """Makes sure that the new name is on disk, too, where a folder can be synced."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
