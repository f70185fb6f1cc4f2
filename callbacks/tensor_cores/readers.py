"""Which reader reads which file. A new format is one new file and one new row here."""

import csv
import itertools
import pathlib
import re
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from callbacks.tensor_cores import chrome_trace, nsight_sqlite, nvprof_csv, xplane
from callbacks.tensor_cores.kernel import Kernel
from callbacks.tensor_cores.profile_file import BLANK, GZIP_MAGIC, ProfileError, load

HEAD_BYTES = 65536
LONGEST_US = 1e18  # thirty thousand years of kernel time


class Format(NamedTuple):
    """A profile format: its name, how its first bytes look, its suffix, its reader."""

    name: str
    looks: re.Pattern[bytes]
    suffix: str
    read: Callable[[str, Callable[[str], None]], Iterator[Kernel]]


FORMATS = (
    Format(
        "Nsight Systems SQLite export",
        re.compile(rb"SQLite format 3\0"),
        ".sqlite",
        nsight_sqlite.read,
    ),
    Format(
        "nvprof CSV log",
        re.compile(rb'(?s)(\xef\xbb\xbf)?\s*(==|"?Type"?,|"?Time\(%\)"?,|"?Start"?,"?Duration)'),
        ".csv",
        nvprof_csv.read,
    ),
    Format(
        "Chrome trace",
        re.compile(rb'(?s)(\xef\xbb\xbf)?\s*[\[{]\s*["{\]}]'),
        ".json",
        chrome_trace.read,
    ),
    # An XSpace begins with the tag of a plane, or of an error where the profiler failed.
    Format("XSpace", re.compile(rb"\A[\x0a\x12\x1a\x22](?!\s*[\[{])"), ".pb", xplane.read),
)


def read(path: str | pathlib.Path, note: Callable[[str], None] = lambda text: None):
    """Yields the `Kernel`s of a recorded profile, whatever its format.

    The format is told by the content; the suffix helps only where the content is damaged. What
    the profiler complained about goes to `note`, one text at a time.

    Raises ProfileError if the file cannot be read as any of `FORMATS`.
    """
    try:
        for kernel in format_of(path).read(path, note):
            if not _is_sound(kernel):
                raise ValueError(f"a kernel is {str(tuple(kernel[:3]))[:80]}")
            yield kernel
    except ProfileError:
        raise
    except (
        TypeError,
        ValueError,
        ArithmeticError,
        LookupError,
        RecursionError,
        csv.Error,
    ) as error:
        trouble = f"holds something unexpected ({error}); record it again"
        raise ProfileError(path, " ".join(trouble.split())) from None


def _is_sound(kernel: Kernel) -> bool:
    """Returns whether a kernel's values are what they should be, whatever the file says."""
    is_number = isinstance(kernel.total_us, int | float) and not isinstance(kernel.total_us, bool)
    texts = (kernel.name, kernel.op, *(text for text in kernel.device if text is not None))
    return (
        is_number and 0 <= kernel.total_us < LONGEST_US and all(isinstance(t, str) for t in texts)
    )


def format_of(path: str | pathlib.Path) -> Format:
    """Returns the format of a file. Raises ProfileError if it is none of `FORMATS`."""
    head = _head(path)
    plain_name = pathlib.Path(path).name.removesuffix(".gz")
    by_suffix = (row for row in FORMATS if plain_name.endswith(row.suffix))
    by_content = (row for row in FORMATS if row.looks.match(head))
    for row in itertools.chain(by_content, by_suffix):
        return row
    known = ", ".join(f"{row.name} ({row.suffix})" for row in FORMATS)
    raise ProfileError(path, f"is no profile that can be read; known are {known}")


def _head(path: str | pathlib.Path) -> bytes:
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        head = b""
    if head.startswith(GZIP_MAGIC):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, HEAD_BYTES)
        except zlib.error:
            head = b""
    return head if head.strip(BLANK) else load(path)[:HEAD_BYTES]
