import io
from types import SimpleNamespace

import pytest
from rich.console import Console

from acgan.progress import ProgressBar, as_time, describe

LOSSES = {"generator_loss": 0.931, "discriminator_loss": 1.2, "class_loss_real": 0.005}


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0:00"),
        (59.4, "0:59"),
        (59.6, "1:00"),
        (61, "1:01"),
        (3599.7, "1:00:00"),
        (2 * 3600 + 3 * 60 + 4, "2:03:04"),
        (25 * 3600, "25:00:00"),
    ],
)
def test_time_as_people_write_it(seconds, text):
    assert as_time(seconds) == text


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((1, None, 0.01, 0.0, {}), "step 1"),
        # A quarter took 30 s; three quarters take 3 * 30 s.
        ((1500, 1234.5, 0.25, 30.0, {}), "step 1,500 · 1:30 left · 1,234 images/s"),
        ((10, 64.0, 1.0, 30.0, {}), "step 10 · 64 images/s"),
        (
            (10, None, 1.0, 30.0, {**LOSSES, "class_loss_generated": 2.0, "other": 9.0}),
            "step 10 · loss G 0.93 D 1.20 class real 0.01 generated 2.00",
        ),
        ((10, None, 1.0, 30.0, {"generator_loss": float("nan")}), "step 10 · loss G nan"),
    ],
)
def test_the_line_beside_the_bar(arguments, text):
    assert describe(*arguments) == text


class Training:
    """A run of 100 steps of 8 images, whose clock the test sets."""

    def __init__(self):
        self.now = 1000.0
        self.output = io.StringIO()
        self.bar = ProgressBar(
            8,
            share_done=lambda: self.bar.steps_done / 100,
            spent=lambda: self.now - 1000,
            output=self.output,
            clock=lambda: self.now,
        )
        self.bar.set_params({"steps": None})
        self.bar.set_model(SimpleNamespace())

    def steps(self, count, seconds_each):
        for _ in range(count):
            self.now += seconds_each
            self.bar.on_train_batch_begin(0)
            self.bar.on_train_batch_end(0, {"generator_loss": 0.5})


def test_in_a_file_a_line_comes_at_first_then_every_ten_seconds_and_at_the_end():
    training = Training()
    training.bar.on_train_begin()
    training.steps(1, 1)
    training.steps(9, 1)  # up to 9 s after the first line
    training.steps(20, 0.5)  # 10 s after it at the second, 9 s after that at the last
    training.bar.on_train_end()
    lines = training.output.getvalue().splitlines()
    assert lines == [
        # The first step was compiled, too: no rate and no time left yet.
        "  1%  step 1 · loss G 0.50",
        # 12 steps in 11 s: 88 % at that pace are 11 * 88 / 12 = 80.67 s; 11 steps in 10 s since.
        " 12%  step 12 · 1:21 left · 9 images/s · loss G 0.50",
        # 30 steps in 20 s: 20 * 70 / 30 = 46.67 s; 18 steps of 8 in the last 9 s.
        " 30%  step 30 · 0:47 left · 16 images/s · loss G 0.50",
    ]


def test_a_message_stands_on_a_line_of_its_own():
    training = Training()
    training.bar.on_train_begin()
    training.bar.say("[judge] is trained")
    assert training.output.getvalue() == "[judge] is trained\n"


def test_a_long_message_stays_one_line_in_a_file():
    training = Training()
    message = "the judge could not be kept in " + "/a-folder" * 20
    training.bar.say(message)
    assert training.output.getvalue() == message + "\n"


@pytest.fixture
def on_terminal(monkeypatch):
    training = Training()
    console = Console(file=training.output, force_terminal=True, width=120, highlight=False)
    training.bar.console = console
    return training


def test_on_a_terminal_one_line_is_drawn_four_times_a_second(on_terminal):
    training = on_terminal
    training.bar.on_train_begin()
    assert "compiling the training step" in training.output.getvalue()
    training.steps(30, 0.125)
    shown = [step for step in range(1, 31) if f"step {step} ·" in training.output.getvalue()]
    assert shown == list(range(1, 31, 2))  # a quarter of a second is two steps
    training.bar.say("a message above")
    training.bar.on_train_end()
    text = training.output.getvalue()
    assert "a message above\n" in text
    # 3.75 s for 30 %, so 8.75 s for 70 %; one step in 0.125 s since the last drawing.
    assert " 30 %  step 30 · 0:09 left · 64 images/s · loss G 0.50" in text
    assert text.index("a message above") < text.index("step 30 ·")
    hidden, shown_again = "\x1b[?25l", "\x1b[?25h"  # the cursor
    assert text.rindex(hidden) < text.rindex(shown_again)
