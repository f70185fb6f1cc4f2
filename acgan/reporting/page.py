"""The report's page: one HTML file with everything inside."""

import re
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from acgan.reporting.grouping import differences
from acgan.reporting.setting_words import differences_in_words, setting_in_words
from acgan.reporting.tables.machines import days_of, machines_table
from acgan.reporting.tables.runs import runs_table

FOLDER, TEMPLATE = Path(__file__).parent, "page.html.jinja"


def render_page(results, groups, sections):
    """The page's text. All that comes from runs is escaped.

    Arguments:
        results: the `Results` that were read.
        groups: its runs' `Group`s.
        sections: their `Section`s.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"markup": Markup, "with_code": with_code, "unbroken": unbroken}
    differing = differences(groups)
    devices = list(dict.fromkeys(run.device for run in results.runs))
    return environment.get_template(TEMPLATE).render(
        sections=sections,
        apart=differences_in_words(differing) if differing else None,
        setting=setting_in_words(groups[0].setting),
        devices=devices,
        days=days_of(results.runs),
        runs=len(results.runs),
        left_out=results.left_out,
        machines=machines_table(groups),
        runs_table=runs_table(groups),
    )


def unbroken(text):
    """A text in which numbers with their units, and names of flags, stay on one line; escaped."""
    text = re.sub(r"(?<=\d) (?=%|USD\b|ms\b)", "\N{NO-BREAK SPACE}", text)
    return Markup(re.sub(r"(--\w+)", r'<span class="flag">\1</span>', str(escape(text))))


def with_code(text):
    """A text in which what stands in `backticks` is marked as code; all of it is escaped."""
    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(text))))
