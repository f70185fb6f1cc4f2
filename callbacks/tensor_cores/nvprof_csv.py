"""Reads nvprof's logs: `nvprof --csv`, with or without `--print-gpu-trace`."""

import csv
import pathlib
import re
from collections.abc import Callable, Iterator

from callbacks.tensor_cores.kernel import Device, Kernel
from callbacks.tensor_cores.profile_file import ProfileError, load

US_PER_UNIT = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
# nvprof's own lines: `==123== Profiling result:`, `======== Warning: ...`.
OWN_LINE = re.compile(r"==+(?:\d+==+)? ?(.*)")


def read(path: str | pathlib.Path, note: Callable[[str], None]) -> Iterator[Kernel]:
    """Yields one kernel for each row of GPU activity; memory copies and API calls are left out.

    A trace names the GPU of each launch, a summary names none; neither records ops. What nvprof
    warned about goes to `note`.

    Raises ProfileError if no table with kernel times can be found.
    """
    text = load(path).decode("utf-8-sig", "backslashreplace")
    header = units = None
    tables = 0
    skipping = False
    for line in text.replace("\r", "").split("\n"):
        own = OWN_LINE.match(line)
        if own:
            header = units = None
            skipping = "API calls" in own[1] or "Unified Memory" in own[1]
            if own[1].startswith(("Warning", "Error", "No kernels")):
                note(f"nvprof reported: {own[1]}")
                tables += own[1].startswith("No kernels")
            continue
        row = next(csv.reader([line]), [])
        if skipping or not row:
            continue
        if "Name" in row and ("Duration" in row or {"Time", "Calls"} <= set(row)):
            header, units = row, None
            tables += 1
        elif header and units is None:
            units = dict(zip(header, row, strict=False))
        elif header and len(row) == len(header):
            kernel = _kernel(path, dict(zip(header, row, strict=True)), units)
            if kernel:
                yield kernel
    if not tables:
        raise ProfileError(path, "holds no nvprof table; record with nvprof --csv --log-file FILE")


def _kernel(path, row: dict[str, str], units: dict[str, str]) -> Kernel | None:
    name = row["Name"]
    if name.startswith("[") or row.get("Type", "GPU activities") != "GPU activities":
        return None
    column = "Duration" if "Duration" in row else "Time"
    try:
        total_us = float(row[column]) * US_PER_UNIT[units[column]]
        launches = int(row.get("Calls", 1))
    except (KeyError, ValueError):
        raise ProfileError(
            path,
            f"nvprof gives {row[column]!r} in {units.get(column)!r} for {name!r}; a number in one "
            f"of {', '.join(US_PER_UNIT)} was expected",
        ) from None
    device = re.sub(r" \(\d+\)$", "", row.get("Device", "")) or None
    name = re.sub(r" \[\d+\]$", "", name)  # the trace numbers its launches
    return Kernel(name, "", total_us, launches, Device(device, None, "Nvidia"))
