import io

import pytest
from rich.console import Console

from acgan.sweeping.progress import SweepProgress

NAME = "batch 64 mixed_float16 (2 of 3)"


@pytest.fixture
def output():
    return io.StringIO()


def test_in_a_file_there_is_a_line_for_each_run_that_ends(output):
    with SweepProgress(output) as progress:
        progress.begin("batch 8 float32 (1 of 3)", 0, 12, None)
        assert output.getvalue() == ""
        progress.end("batch 8 float32 (1 of 3)", "16.0 ms a step", 1, 12, 3661.0)
        progress.begin(NAME, 11, 12, 30.0)
        progress.end(NAME, "does not fit into memory", 12, 12, 0)
    assert output.getvalue().splitlines() == [
        " 1/12  batch 8 float32 (1 of 3): 16.0 ms a step · 1:01:01 left",
        "12/12  batch 64 mixed_float16 (2 of 3): does not fit into memory",
    ]


def test_where_the_time_left_is_unknown_nothing_is_said_of_it(output):
    with SweepProgress(output) as progress:
        progress.end(NAME, "failed: no space", 0, 8, None)
    assert output.getvalue() == f"0/8  {NAME}: failed: no space\n"


def test_a_long_line_stays_one_and_brackets_stay_as_they_are(output):
    outcome = "failed: [red]" + "/a-folder" * 40
    with SweepProgress(output) as progress:
        progress.end(NAME, outcome, 0, 8, None)
    assert output.getvalue() == f"0/8  {NAME}: {outcome}\n"


@pytest.fixture
def on_terminal(output):
    progress = SweepProgress(output)
    progress.console = Console(file=output, force_terminal=True, width=120, highlight=False)
    return progress


def test_on_a_terminal_a_bar_shows_the_run_and_the_time_left(on_terminal, output):
    with on_terminal as progress:
        progress.begin(NAME, 3, 12, 90.0)
        progress.say("a message above")
    text = output.getvalue()
    assert f"runs  1:30 left · {NAME}" in text
    assert " 3/12" in text
    assert text.index("a message above") < text.rindex("runs  1:30 left")


def test_the_bar_says_nothing_of_a_time_that_is_unknown(on_terminal, output):
    with on_terminal as progress:
        progress.begin(NAME, 0, 12, None)
    assert f"runs  {NAME}" in output.getvalue()
    assert "left" not in output.getvalue()


def test_the_bar_is_full_when_the_last_run_has_ended(on_terminal, output):
    with on_terminal as progress:
        progress.begin(NAME, 11, 12, 30.0)
        progress.end(NAME, "16.0 ms a step", 12, 12, 0)
    lines = output.getvalue().splitlines()
    assert any(line.endswith(f"12/12  {NAME}: 16.0 ms a step") for line in lines)
    last_bar = [line for line in lines if "runs" in line][-1]
    assert "12/12" in last_bar


def test_a_line_beside_the_bar_does_not_repeat_the_time_left(on_terminal, output):
    with on_terminal as progress:
        progress.begin(NAME, 3, 12, 90.0)
        progress.end(NAME, "16.0 ms a step", 4, 12, 80.0)
    assert "1:20" not in output.getvalue()


def test_the_terminal_is_given_back_after_an_error(on_terminal, output):
    with pytest.raises(KeyboardInterrupt), on_terminal as progress:
        progress.begin(NAME, 3, 12, 90.0)
        raise KeyboardInterrupt
    hidden, shown_again = "\x1b[?25l", "\x1b[?25h"  # the cursor
    assert output.getvalue().rindex(hidden) < output.getvalue().rindex(shown_again)


def test_by_default_it_writes_to_standard_output(capsys):
    with SweepProgress() as progress:
        progress.say("a line")
    assert capsys.readouterr().out == "a line\n"
