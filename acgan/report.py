"""Says what runs measured: python -m acgan.report RUN_OR_SWEEP... --out=DIR [flags]

Writes index.html, one page that needs nothing else, its figures as PNG and SVG, and results.csv.
"""

import shutil
import sys
import textwrap
from pathlib import Path

from acgan import command
from acgan.errors import UserError
from acgan.new_folder import check_new

FLAGS = ("output", "price", "reporting")


def main(values, folders):
    if not values["out"]:
        raise UserError("--out is missing: give a folder with --out=DIR")
    if not folders:
        raise UserError("no runs are given: name folders of runs or sweeps, such as sweeps/t4")

    from acgan.reporting.report_folder import PAGE, write_report
    from acgan.reporting.repricing import repriced
    from acgan.result_reading import Results, read_results
    from acgan.sweeping.left_out import with_left_out

    check_new(values["out"])
    found = read_results(folders)
    runs = with_left_out(found.runs)
    runs = repriced(runs, values["usd_per_hour"], values["provider"], values["spot"])
    for line in found.left_out:
        print(f"left out: {line}", file=sys.stderr)
    sections = write_report(Results(runs, found.left_out), values["out"], values["target_fid"])
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for section in sections:
        if len(sections) > 1:
            print(f"— {section.title} —\n")
        for headline in section.headlines:
            print("\n".join(as_text(headline, width)), end="\n\n")
    print(Path(values["out"]) / PAGE)


def as_text(headline, width=None):
    """The lines of a `DeviceHeadline`, broken to a terminal's width if there is one."""
    lines = [headline.title, *(f"  · {line}" for line in headline.lines)]
    if width is None:
        return lines
    return [
        part
        for line in lines
        for part in textwrap.wrap(line, max(20, width - 1), subsequent_indent="    ")
    ]


if __name__ == "__main__":
    command.run(main, FLAGS, takes="RUN_OR_SWEEP")
