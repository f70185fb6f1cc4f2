"""What the commands share, in processes of their own, since absl's registry is global."""

import subprocess
import sys

import pytest

from acgan import command, generate, train


@pytest.fixture
def python(tmp_path):
    """Runs Python in an empty folder; returns the finished process."""

    def run(*arguments):
        return subprocess.run(
            [sys.executable, *arguments], capture_output=True, text=True, cwd=tmp_path
        )

    return run


def program(main, flags=("seed",)):
    return f"from acgan import command\n{main}\ncommand.run(main, {flags!r})\n"


@pytest.mark.parametrize("module", [train, generate])
def test_help_names_every_flag_of_the_command_and_no_other(python, module):
    done = python("-m", module.__name__, "--help")
    shown = {
        line.split(":")[0].strip().removeprefix("--").removeprefix("[no]")
        for line in done.stdout.splitlines()
        if line.startswith("  --")
    }
    assert shown == set(command.import_flags(module.FLAGS))
    assert done.stdout.lstrip().startswith(module.__doc__.splitlines()[0])
    assert done.stderr == ""


@pytest.mark.parametrize(
    "module_and_flags",
    [
        ("train", "--help"),
        ("train", "--polcy=float32"),
        ("train", "--batch_size=0"),
        ("train", "somewhere"),
        ("train", "--width=20"),
        ("train", "--batch_size=5001"),
        ("generate", "--help"),
        ("generate", "--run=nowhere"),
    ],
    ids=" ".join,
)
def test_what_needs_no_tensorflow_does_not_import_it(python, module_and_flags):
    module, flag = module_and_flags
    done = python(
        "-c",
        f"import sys\nsys.argv = ['acgan.{module}', {flag!r}]\n"
        f"from acgan import command, {module}\n"
        f"try:\n    command.run({module}.main, {module}.FLAGS)\n"
        "finally:\n"
        "    print('imported:', sorted({'tensorflow', 'keras'}.intersection(sys.modules)))\n",
    )
    assert done.returncode == 1
    assert "imported: []" in done.stdout, done.stderr


def test_a_misspelt_flag_is_named_with_its_likely_spelling(python):
    done = python("-m", "acgan.train", "--polcy=float32")
    assert done.returncode == 1
    assert "'polcy'" in done.stderr
    assert "policy" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_no_flag_is_refused(python):
    done = python("-m", "acgan.train", "steps=5")
    assert done.returncode == 1
    assert done.stderr == (
        "error: 'steps=5' is not a flag: write --name=value (--help lists them)\n"
    )


def test_a_command_gets_its_flags_as_plain_values(python):
    done = python("-c", program("def main(values): print(values)", ("seed", "cache")), "--seed=7")
    assert done.stdout == "{'seed': 7, 'cache_dir': None}\n"
    assert done.returncode == 0


def test_flags_of_other_commands_are_unknown(python):
    done = python("-m", "acgan.generate", "--batch_size=3")
    assert done.returncode == 1
    assert "batch_size" in done.stderr


@pytest.mark.parametrize(
    ("body", "status", "stderr"),
    [
        ("return 3", 3, ""),
        ("from acgan.errors import UserError; raise UserError('no\\nway')", 1, "error: no way\n"),
        (
            "open('nowhere/file')",
            1,
            "error: [Errno 2] No such file or directory: 'nowhere/file'\n",
        ),
        ("raise OSError(28, 'No space left')", 1, "error: [Errno 28] No space left\n"),
        ("raise KeyboardInterrupt", 130, "error: interrupted\n"),
    ],
)
def test_what_a_user_can_mend_ends_in_one_line(python, body, status, stderr):
    done = python("-c", program(f"def main(values): {body}"))
    assert (done.returncode, done.stderr) == (status, stderr)


@pytest.mark.parametrize("body", ["raise ValueError('a fault')", "raise OSError(9, 'a fault')"])
def test_the_project_s_own_faults_show_a_traceback(python, body):
    done = python("-c", program(f"def main(values): {body}"))
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "a fault" in done.stderr


@pytest.mark.parametrize("path", ["/dev/null/x", "x" * 300], ids=["below a file", "too long"])
@pytest.mark.parametrize("body", ["Path({!r}).mkdir()", "Path({!r}).read_text()"])
def test_a_path_that_cant_be_is_the_user_s_mistake(python, path, body):
    lines = f"def main(values):\n    from pathlib import Path\n    {body.format(path)}"
    done = python("-c", program(lines))
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


def test_flag_modules_give_the_names_they_define():
    assert command.import_flags(["seed", "cache"]) == ["seed", "cache_dir"]
    assert command.import_flags([]) == []
