"""A user's own files in the working folder, as Python finds them: in a process of its own."""

import subprocess
import sys

import pytest

from acgan.shadowing import PACKAGES, check_packages


def test_this_project_s_own_packages_are_found():
    check_packages()


def test_all_packages_beside_acgan_are_checked(root):
    found = {path.parent.name for path in root.glob("*/__init__.py")}
    assert found == {"acgan", *PACKAGES}


@pytest.mark.parametrize("command", ["acgan.train", "acgan.generate"])
@pytest.mark.parametrize(
    "file", ["flags.py", "callbacks.py", "flags/__init__.py", "callbacks/__init__.py"]
)
def test_a_user_s_own_file_in_the_way_is_named(tmp_path, command, file):
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text("raise SystemExit('somebody ran the user\\'s own file')\n")
    done = subprocess.run(
        [sys.executable, "-m", command, "--seed=1"], capture_output=True, text=True, cwd=tmp_path
    )
    name = file.partition("/")[0].removesuffix(".py")
    assert done.stderr == (
        f"error: {path.resolve()} hides this project's package '{name}': rename it or start the "
        "command in another folder\n"
    )
    assert (done.returncode, done.stdout) == (1, "")


def test_other_files_are_in_nobody_s_way(tmp_path):
    for name in ("data.py", "training.py", "settings.py", "errors.py"):
        (tmp_path / name).write_text("raise SystemExit('not mine')\n")
    done = subprocess.run(
        [sys.executable, "-m", "acgan.train", "--batch_size=5001"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert "5000 images" in done.stderr
