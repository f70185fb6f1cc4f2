"""A run's folder and its record, run.json."""

import contextlib
import itertools
import json
import math
import threading
from datetime import UTC, datetime
from pathlib import Path

from acgan.errors import UserError
from callbacks.files import replacing

FORMAT = 1
SWEEP_FILE = "sweep.json"  # marks the folder of a sweep
OUT_OF_MEMORY = "out_of_memory"  # a record's `failure` if the batch did not fit
SAVE_SECONDS = 5.0  # between two writings of the record while a run goes on
# Fields of the record that are measured while a run trains, with their parts.
MEASURED = {
    "step_time_ms": ("mean", "p50", "p95", "measured_steps"),
    "images_per_second": None,
    "model_flops_per_step": None,
    "mfu_percent": None,
    "tensor_cores": (
        "kernel_time_percent",
        "eligible_time_percent",
        "efficiency_percent",
        "unknown_time_percent",
        "cast_time_percent",
        "kernel_ms_per_step",
        "pipe_active_percent",
        "reason",
    ),
    "cost": (
        "usd_per_hour",
        "price_source",
        "usd_total",
        "usd_per_1000_images",
        "usd_per_million_batches",
    ),
    "energy": ("wh_total", "wh_per_1000_images"),
}


class RunFolder:
    """Names of what a run writes, all inside one folder.

    Attributes:
        path: the folder; `record`, `tensorboard`, `samples`, `checkpoints`, `generator` (the best,
            or the last of a run that was not evaluated) and `last_generator` are inside, and
            `lock`, which the process that trains holds.
    """

    def __init__(self, path):
        self.path = Path(path)
        self.record = self.path / "run.json"
        self.tensorboard = self.path / "tensorboard"
        self.samples = self.path / "samples"
        self.checkpoints = self.path / "checkpoints"
        self.lock = self.path / ".lock"
        self.generator = self.path / "generator.keras"
        self.last_generator = self.path / "generator-last.keras"

    def check_new(self):
        """Raises `UserError` if something is there already: a run is never overwritten."""
        if self.path.is_dir() and not any(self.path.iterdir()):
            return
        if self.path.exists():
            raise UserError(
                f"--run_dir={self.path} exists and is never overwritten: choose another folder, or "
                "go on with it by --resume"
            )

    def clear_beginning(self):
        """Removes what a run left that was killed before it had a record.

        Raises:
            UserError: something else is there.
        """
        begun = set(self.path.glob(".run-*.part.json"))
        if self.path.exists() and not (self.path.is_dir() and begun == set(self.path.iterdir())):
            raise UserError(
                f"--run_dir={self.path} holds no run to go on with: choose another folder"
            )
        for path in begun:
            path.unlink()

    def create(self):
        """Makes the folder. Raises `UserError` if it can't be made or written."""
        self.check_new()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with replacing(self.record) as partial:
                partial.write_text("{}")
        except OSError as error:
            raise UserError(
                f"--run_dir={self.path} can't be written ({error.strerror}): choose another folder"
            ) from error


def default_folder(dataset, policy, batch_size, now=None):
    """`runs/<date-time>-<dataset>-<policy>-b<batch>` in the working folder."""
    name = Path(dataset).stem or "data"
    stamp = (now or datetime.now()).strftime("%Y%m%d-%H%M%S")
    folder = Path("runs") / f"{stamp}-{name}-{policy}-b{batch_size}"
    numbered = (folder.with_name(f"{folder.name}-{number}") for number in itertools.count(2))
    return next(path for path in itertools.chain([folder], numbered) if not path.exists())


class Record:
    """A run's record, kept on disk as `run.json` while the run goes on.

    What was not measured is None; `reasons` says why, by the field's name. Within `writing()` a
    thread writes the record every few seconds, so that it is fresh whatever the run is busy with.

    Arguments:
        path: the file.
        config: every flag's value by name.
        live: called before each writing; returns fields to update, such as the seconds so far.
    """

    def __init__(self, path, config, live=dict):
        self.path = path
        self._live = live
        self._lock = threading.Lock()
        self.fields = {
            "format": FORMAT,
            "status": "running",
            "message": None,
            "failure": None,
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "config": config,
            "resolved": None,
            "hardware": None,
            "steps": 0,
            "images": 0,
            "seconds": None,
            **{name: _nothing(parts) for name, parts in MEASURED.items()},
            "loss_scale": None,
            "quality": None,
            "findings": [],
            "rollbacks": [],
        }
        self._reasons = dict.fromkeys((*MEASURED, "loss_scale", "quality"), "not measured yet")

    def update(self, **fields):
        """Sets fields of the record; they are on disk at the next writing."""
        with self._lock:
            self.fields.update(fields)

    def explain(self, **reasons):
        """Says of fields why they are None; where one has a value after all, that is left out."""
        with self._lock:
            self._reasons.update(reasons)

    def save(self):
        """Writes the record at once, whole or not at all."""
        self.update(**self._live())
        with self._lock:
            reasons = {k: v for k, v in self._reasons.items() if not _measured(self.fields[k])}
            with replacing(self.path) as partial:
                partial.write_text(to_json({**self.fields, "reasons": reasons}))

    @contextlib.contextmanager
    def writing(self, every_seconds=SAVE_SECONDS):
        """Writes the record at the beginning, regularly within the block, and at its end."""
        done = threading.Event()

        def keep_writing():
            while not done.wait(every_seconds):
                with contextlib.suppress(Exception):  # the last writing reports what is wrong
                    self.save()

        self.save()
        thread = threading.Thread(target=keep_writing, name="record", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            done.set()
            thread.join()
            self.save()


def amend_record(path, **fields):
    """Sets fields of a record on disk whose run has ended without doing so itself.

    Raises:
        UserError: as `read_record`.
    """
    record = read_record(path) | fields
    with replacing(path) as partial:
        partial.write_text(to_json(record))


def read_record(path):
    """The record in a `run.json`.

    Raises:
        UserError: if there is none, or it is not one of this format.
    """
    try:
        record = json.loads(Path(path).read_text())
    except FileNotFoundError:
        raise UserError(f"{path} does not exist: name the folder of a run") from None
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{path} can't be read as a run's record: {error}") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise UserError(f"{path} is not a run's record of format {FORMAT}")
    resolved = record.get("resolved")
    names = resolved.get("class_names") if isinstance(resolved, dict) else []
    if (
        not isinstance(resolved, dict | None)
        or not isinstance(names, list)
        or not all(isinstance(name, str) for name in names)
    ):
        raise UserError(f"{path} is damaged: its 'resolved' is not what a run writes")
    return record


def to_json(value):
    """Valid JSON, in which numbers that are not finite are null."""
    return json.dumps(_finite(value), indent=1, allow_nan=False) + "\n"


def _finite(value):
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _measured(value):
    return any(map(_measured, value.values())) if isinstance(value, dict) else value is not None


def _nothing(parts):
    return None if parts is None else dict.fromkeys(parts)
