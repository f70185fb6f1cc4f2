"""The benchmark's measurements as a table for people and as JSON for programs."""

import json
import tempfile
from pathlib import Path

from acgan.errors import UserError
from callbacks.files import replacing

FIELDS = ("row", "name", "ratio", "low", "high", "unit")  # of JSON
HEADER = ("row", "what", "median", "low", "high", "unit", "arithmetic", "")


def table(measurements):
    """Lines of text, one a measurement, by row."""
    cells = [HEADER]
    for m in sorted(measurements, key=lambda m: m.row):
        numbers = map(number, (m.ratio, m.low, m.high))
        arithmetic = "" if m.arithmetic is None else number(m.arithmetic)
        cells.append((str(m.row), m.name, *numbers, m.unit, arithmetic, m.note))
    return aligned(cells, left={1, 5, 7})  # columns of words


def aligned(cells, left):
    """Lines of text, from lines of texts; columns are aligned right but for those of `left`."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(
            text.ljust(width) if i in left else text.rjust(width)
            for i, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    )


def number(value):
    """A number of three digits after the point, large ones with fewer."""
    return f"{value:.3f}" if abs(value) < 100 else f"{value:,.0f}"


def check_writable(path):
    """Raises `UserError` if no file can be written at `path`; leaves nothing there."""
    path = Path(path)
    if path.is_dir():
        raise UserError(f"--json={path} is a folder: give the name of a file")
    try:
        tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise UserError(
            f"--json={path} can't be written ({error.strerror}): choose a file in a folder that "
            "exists and that you may write to"
        ) from error


def write_json(path, measurements):
    """Writes the measurements as a list of objects of `FIELDS`, by row; whole or not at all."""
    ordered = sorted(measurements, key=lambda m: m.row)
    objects = [{field: getattr(m, field) for field in FIELDS} for m in ordered]
    with replacing(path) as partial:
        partial.write_text(json.dumps(objects, indent=1, allow_nan=False) + "\n")
