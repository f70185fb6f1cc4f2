"""results.csv: one row a run, for spreadsheets and for other programs."""

import csv
import os
from pathlib import Path

from acgan.reporting.grouping import SETTING, group
from callbacks.files import replacing

# The columns after "repeat", each with the name of what it shows: of a `Result`, or of `_own`.
COLUMNS = {
    "status": "status",
    "failure": "failure",
    "message": "message",
    "started": "started",
    "folder": "folder",
    "steps": "steps",
    "train_seconds": "train_seconds",
    "total_seconds": "total_seconds",
    "step_ms": "step_ms",
    "step_ms_p50": "step_ms_p50",
    "step_ms_p95": "step_ms_p95",
    "measured_steps": "measured_steps",
    "images_per_second": "images_per_second",
    "ms_per_1000_images": "ms_per_1000_images",
    "usd_per_hour": "usd_per_hour",
    "usd_per_million_images": "usd_per_million_images",
    "usd_per_million_batches": "usd_per_million_batches",
    "usd_total": "usd_total",
    "price_source": "price_source",
    "price_reason": "price_reason",
    "wh_per_1000_images": "wh_per_1000_images",
    "mfu_percent": "mfu_percent",
    "tensor_cores_kernel_time_percent": "kernel_time_percent",
    "tensor_cores_eligible_time_percent": "eligible_time_percent",
    "tensor_cores_efficiency_percent": "efficiency_percent",
    "cast_time_percent": "cast_time_percent",
    "kernel_ms_per_step": "kernel_ms_per_step",
    "tensor_cores_reason": "tensor_cores_reason",
    "skipped_steps_generator": "skipped_steps_generator",
    "skipped_steps_discriminator": "skipped_steps_discriminator",
    "class_accuracy": "class_accuracy",
    "fid": "fid",
    "fid_floor": "fid_floor",
    "last_class_accuracy": "last_class_accuracy",
    "last_fid": "last_fid",
    "minutes": "minutes",
    "seed": "seed",
    "compute_capability": "compute_capability",
    "cpu_features": "cpu_features",
    "onednn": "onednn",
    **{name: name for name in SETTING},
}


def write_results(results, path):
    """Writes one row a run, whole or not at all.

    Rows are ordered by device, batch size, policy (float32 first) and repeat. `repeat` is the
    run's number in its sweep; of other runs their order, the earliest first. What was not measured
    is an empty cell. `folder` is relative to the table's own folder. A text that a spreadsheet
    would take for a formula gets an apostrophe in front.

    Arguments:
        results: `acgan.results.Result`s, in any order.
        path: the file, in an existing folder; what is there is replaced.

    Raises:
        OSError: the file can't be written.
    """
    rows = [
        (
            *(device.name, cell.batch_size, cell.policy != "float32", cell.policy),
            *(result.repeat or number, str(result.folder), result),
        )
        for members in group(results)
        for device in members.devices
        for cell in device.cells.values()
        for number, result in enumerate(cell.results, 1)
    ]
    rows.sort(key=lambda row: row[:-1])
    with (
        replacing(path) as partial,
        partial.open("w", encoding="utf-8", errors="replace", newline="") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("device", "batch_size", "policy", "repeat", *COLUMNS))
        for device, batch_size, _, policy, number, _, result in rows:
            own = {
                "folder": _relative(result.folder, Path(path).parent),
                "minutes": result.config.get("minutes"),
                "image_shape": "x".join(map(str, result.image_shape)),
            }
            values = (
                own[name] if name in own else getattr(result, name) for name in COLUMNS.values()
            )
            writer.writerow(map(_cell, (device, batch_size, policy, number, *values)))


def _cell(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        value = "; ".join(map(str, value))
    if not isinstance(value, str):
        return value  # the writer leaves None empty
    text = " ".join(value.split())
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def _relative(folder, start):
    try:
        return os.path.relpath(Path(folder).resolve(), Path(start).resolve())
    except ValueError:  # on another drive
        return str(Path(folder).resolve())
