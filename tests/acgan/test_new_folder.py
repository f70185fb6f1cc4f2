import pytest

from acgan.errors import UserError
from acgan.new_folder import check_new, make_new


def test_a_new_or_an_empty_folder_will_do(tmp_path):
    make_new(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    make_new(tmp_path / "a" / "b")


def test_a_full_folder_and_a_file_will_not(tmp_path):
    (tmp_path / "file").touch()
    for there in (tmp_path, tmp_path / "file"):
        for check in (check_new, make_new):
            with pytest.raises(UserError, match=f"--out={there} exists and is not an empty folder"):
                check(there)


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"--out=.*file/new can't be written \(Not a directory\)"):
        make_new(tmp_path / "file" / "new")
