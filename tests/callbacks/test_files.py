import pytest

from callbacks.files import replacing


def test_a_file_takes_its_place_when_it_is_whole(tmp_path):
    path = tmp_path / "run.json"
    path.write_text("old")
    with replacing(path) as partial:
        partial.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_block_that_fails_leaves_what_was_there(tmp_path, error):
    path = tmp_path / "run.json"
    path.write_text("old")
    with pytest.raises(error), replacing(path) as partial:
        partial.write_text("half")
        raise error
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_first_file_that_fails_leaves_nothing(tmp_path):
    with pytest.raises(RuntimeError), replacing(tmp_path / "a.txt") as partial:
        partial.write_text("half")
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_a_block_that_writes_nothing_is_an_error(tmp_path):
    path = tmp_path / "run.json"
    path.write_text("old")
    with pytest.raises(FileNotFoundError), replacing(path):
        pass
    assert path.read_text() == "old"


@pytest.mark.parametrize("name", ["generator.keras", "step-000010.png", "a.b.json"])
def test_the_name_stays_in_the_folder_with_the_suffix_and_hidden(tmp_path, name):
    path = tmp_path / name
    with replacing(str(path)) as partial:
        assert partial.parent == tmp_path
        assert partial.suffix == path.suffix
        assert partial.name.startswith(".")
        partial.touch()
    assert path.exists()
