import os
import signal
import sys

import pytest
from absl import flags as absl_flags

from acgan.sweeping import process
from acgan.sweeping.process import Ending, as_arguments, train

NOT_A_FAILURE = (
    "W bfc_allocator.cc:310] Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.25GiB. "
    "The caller indicates that this is not a failure, but this may mean that there could be "
    "performance gains if more memory were available."
)


linux = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
SCORE = "/proc/self/oom_score_adj"
# Part of a run's program: goes on when the sweep has begun to wait for the run.
UNTIL_WAITED_FOR = f"""
import time
end = time.monotonic() + 30
while time.monotonic() < end and open({SCORE!r}).read() != "800\\n":
    time.sleep(0.01)
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a program in place of `acgan.train`; returns its `Ending`."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def do(program, flags=None):
        (tmp_path / "child.py").write_text(f"import os, signal, sys\n{program}\n")
        return train(flags or {}, tmp_path / "log", module="child")

    return do


@pytest.fixture
def log(tmp_path):
    """Gives what the program printed."""
    return (tmp_path / "log").read_text


def test_a_run_that_ends_well(run, log):
    assert run("print('30 steps'); print('done')") == Ending(0, "done")
    assert log() == "30 steps\ndone\n"


def test_flags_reach_the_run(run, log):
    run("print(sys.argv[1:])", {"steps": 5, "profile": False, "minutes": None})
    assert log() == "['--steps=5', '--noprofile']\n"


def test_ctrl_c_in_the_terminal_is_not_for_the_run(run):
    assert run("print(os.getpid() == os.getsid(0))").message == "True"


def test_what_a_run_says_last_is_why_it_failed(run, log):
    ending = run("print('begun', flush=True); sys.exit('error: the disk is full\\n\\n')")
    assert ending == Ending(1, "the disk is full")
    assert log() == "begun\nerror: the disk is full\n\n\n"


def test_a_run_that_says_nothing(run):
    assert run("sys.exit(3)") == Ending(3, "nothing was printed")


def test_a_long_last_line_is_cut(run):
    assert run("sys.exit('x' * 1000)").message == "x" * 300


def test_bytes_that_are_no_text_do_no_harm(run):
    assert run(r"sys.stdout.buffer.write(b'\xff 5 %')").message.endswith(" 5 %")


@pytest.mark.parametrize(
    ("name", "out_of_memory"), [("SIGKILL", True), ("SIGSEGV", False), ("SIGTERM", False)]
)
def test_the_kernel_kills_what_takes_too_much_memory(run, name, out_of_memory):
    ending = run(f"print('done', flush=True); os.kill(os.getpid(), signal.{name})")
    assert ending == Ending(-signal.Signals[name], f"ended by {name}", out_of_memory)


@pytest.mark.parametrize(
    ("program", "out_of_memory"),
    [
        ("print('what():  std::bad_alloc', flush=True); os.abort()", True),
        ("raise MemoryError", True),
        ("sys.exit('OOM when allocating tensor with shape[8,8]')", True),
        ("print('CUDA_ERROR_OUT_OF_MEMORY: out of memory'); sys.exit(1)", True),
        ("print('std::bad_alloc')", False),  # and it went on
        ("sys.exit('the losses are no longer finite')", False),
        (f"print({NOT_A_FAILURE!r}); sys.exit(1)", False),
        (f"print({NOT_A_FAILURE!r}); print('std::bad_alloc'); sys.exit(1)", True),
    ],
)
def test_a_run_may_say_itself_that_it_gets_no_memory(run, program, out_of_memory):
    assert run(program).out_of_memory is out_of_memory


def test_the_log_is_of_the_last_try(run, log):
    run("print('first')")
    run("print('second')")
    assert log() == "second\n"


def test_the_logs_folder_is_made(run, tmp_path):
    run("print('done')")
    path = tmp_path / "logs" / "deep" / "b.log"
    assert train({}, path, module="child") == Ending(0, "done")
    assert path.read_text() == "done\n"


def interrupting(at_sigterm):
    """A run that sends Ctrl-C to the sweep, and what it does when it is told to end."""
    return f"""
{UNTIL_WAITED_FOR}
def end(*_):
    {at_sigterm}

signal.signal(signal.SIGTERM, end)
print(os.getpid(), flush=True)
os.kill(os.getppid(), signal.SIGINT)
while True:
    time.sleep(60)
"""


def assert_ended(pid):
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


@linux
def test_an_interrupted_sweep_lets_its_run_end_in_good_order(run, log):
    with pytest.raises(KeyboardInterrupt):
        run(interrupting("print('in good order', flush=True); sys.exit(143)"))
    pid, words = log().splitlines()
    assert words == "in good order"
    assert_ended(pid)


@linux
def test_a_run_that_does_not_end_is_killed(run, log, monkeypatch):
    monkeypatch.setattr(process, "PATIENCE_SECONDS", 0.01)
    with pytest.raises(KeyboardInterrupt):
        run(interrupting("pass"))
    assert_ended(log())


@linux
def test_a_second_ctrl_c_does_not_wait_for_the_run(run, log):
    with pytest.raises(KeyboardInterrupt):
        run(interrupting("os.kill(os.getppid(), signal.SIGINT)"))
    assert_ended(log())


@linux
def test_when_memory_is_full_the_kernel_takes_the_run_first(run):
    assert run(f"{UNTIL_WAITED_FOR}\nprint(open({SCORE!r}).read())").message == "800"


@pytest.fixture
def registry():
    """Flags of every kind that `acgan.train` has, with defaults unlike the values of the tests."""
    flags = absl_flags.FlagValues()
    absl_flags.DEFINE_boolean("profile", True, "", flag_values=flags)
    absl_flags.DEFINE_boolean("jit_compile", False, "", flag_values=flags)
    absl_flags.DEFINE_list("classes", ["x"], "", flag_values=flags)
    absl_flags.DEFINE_string("dataset", "mnist5k", "", flag_values=flags)
    absl_flags.DEFINE_integer("width", 32, "", flag_values=flags)
    absl_flags.DEFINE_float("learning_rate", 2e-4, "", flag_values=flags)
    absl_flags.DEFINE_enum("channels", None, ["1", "3"], "", flag_values=flags)
    return flags


@pytest.mark.parametrize(
    "values",
    [
        {"profile": False, "jit_compile": True},
        {"profile": True, "jit_compile": False},
        {"classes": []},
        {"classes": ["cat", "hot dog"]},
        {"classes": ["a, b", 'say "no"', "c"]},
        {"dataset": "my folder/--x=1.npz"},
        {"dataset": ""},
        {"width": 0},
        {"learning_rate": 1e-05},
        {"learning_rate": 0.1 + 0.2},
        {"channels": "3"},
    ],
)
def test_flags_arrive_as_they_were(registry, values):
    registry(["train", *as_arguments(values)])
    assert {name: registry[name].value for name in values} == values


def test_a_path_is_an_argument_too(tmp_path):
    assert as_arguments({"run_dir": tmp_path}) == [f"--run_dir={tmp_path}"]


def test_what_is_none_is_left_to_the_default(registry):
    assert as_arguments({"channels": None, "width": None}) == []
    registry(["train"])
    assert (registry["channels"].value, registry["width"].value) == (None, 32)
