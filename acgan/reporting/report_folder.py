"""Writes the report: the page, the figures and the table of results."""

import contextlib
import os
import shutil
from pathlib import Path

from acgan.errors import UserError
from acgan.new_folder import check_new
from acgan.reporting.figures.sheet import write_sheet
from acgan.reporting.grouping import differences, group
from acgan.reporting.page import render_page
from acgan.reporting.section import make_section
from acgan.results_table import write_results

PAGE, RESULTS = "index.html", "results.csv"


def write_report(results, folder, target_fid=None):
    """Writes a report, whole or not at all.

    Arguments:
        results: an `acgan.result_reading.Results`.
        folder: where to; new or empty.
        target_fid: the FID whose price is looked up; None for one that all settings reached.

    Returns:
        A list of `Section`, one for each group of runs that can be compared.

    Raises:
        UserError: something is in the folder, or it can't be written.
    """
    check_new(folder)
    groups = group(results.runs)
    differing = differences(groups)
    with _filled_at_once(folder) as partial:
        sections = [
            make_section(one, number, differing, target_fid) for number, one in enumerate(groups, 1)
        ]
        for drawn in (drawn for section in sections for drawn in section.figures):
            if drawn.drawings:
                write_sheet(drawn.drawings, drawn.figure.columns, partial / drawn.name)
        write_results(results.runs, partial / RESULTS)
        page = render_page(results, groups, sections)
        (partial / PAGE).write_bytes(page.encode("utf-8", "replace"))
    return sections


@contextlib.contextmanager
def _filled_at_once(folder):
    """A folder to write into, that becomes `folder` when the block has ended well."""
    target = Path(os.path.abspath(folder))
    partial = target.with_name(f".{target.name}-{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial.mkdir()
    except OSError as error:
        raise UserError(
            f"--out={folder} can't be written ({error.filename}: {error.strerror}): choose another "
            "folder"
        ) from error
    try:
        yield partial
        if target.exists():  # it may be somebody's working folder, so it stays the same one
            for path in sorted(partial.iterdir(), key=lambda path: path.name == PAGE):
                path.rename(target / path.name)
        else:
            partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
