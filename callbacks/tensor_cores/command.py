"""`scripts/kernels PROFILE...`: the kernels of recorded profiles, and which use Tensor Cores."""

import argparse
import json
import os
import shutil
import sys

from callbacks.tensor_cores import readers, report
from callbacks.tensor_cores.profile_file import ProfileError
from callbacks.tensor_cores.summary import Summary, summarize

WIDTH_WITHOUT_TERMINAL = 120


def main(arguments: list[str] | None = None) -> int:
    """Prints one table for each profile, or one JSON list; returns the exit status.

    A file that cannot be read, or holds no kernels, costs one line on stderr and makes the status
    1; the other files are printed all the same.
    """
    options = _options(arguments)
    status, printed = 0, []
    for file in options.profiles:
        notes = []
        try:
            summary = summarize(readers.read(file, notes.append))
        except ValueError as error:  # a ProfileError, or values that make no summary
            text = str(error) if isinstance(error, ProfileError) else f"{file}: {error}"
            print(f"kernels: {text}", file=sys.stderr)
            status = 1
            continue
        if not summary.rows:
            hint = "; ".join(notes) or "record on a GPU, with the GPU's activity traced"
            print(f"kernels: {file}: {summary.reason}; {hint}", file=sys.stderr)
            status = 1
        else:
            for text in notes:
                print(f"kernels: {file}: {text}", file=sys.stderr)
        printed.append((file, summary))
    _print(printed, options)
    return status


def _print(printed: list[tuple[str, Summary]], options: argparse.Namespace) -> None:
    if options.json:
        objects = [report.to_json(file, summary) for file, summary in printed]
        print(json.dumps(objects, indent=1, allow_nan=False), flush=True)
        return
    width = shutil.get_terminal_size((WIDTH_WITHOUT_TERMINAL, 0)).columns
    tables = [
        report.to_table(file, summary, options.top, width)
        for file, summary in printed
        if summary.rows
    ]
    print("\n\n\n".join(tables), end="\n" * bool(tables), flush=True)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="kernels",
        description="Prints the GPU kernels of recorded profiles and which of them run on Tensor "
        "Cores.",
        epilog="Formats: " + ", ".join(f"{row.name} ({row.suffix})" for row in readers.FORMATS),
    )
    parser.add_argument("profiles", nargs="+", metavar="PROFILE", help="a recorded profile")
    parser.add_argument("--json", action="store_true", help="print JSON alone, with every kernel")
    parser.add_argument(
        "--top", type=_count, default=20, metavar="N", help="kernels in each table (default 20)"
    )
    return parser.parse_args(arguments)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")
    try:
        sys.exit(main())
    except BrokenPipeError:  # the reader of the pipe, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
