import numpy as np
import pytest

from acgan.checkpoints import Checkpoints, read_checkpoint
from acgan.errors import UserError

ARRAYS = {"generator/0000": np.arange(6, dtype=np.float32).reshape(2, 3), "n": np.int64(7)}
STATE = {"seconds": {"train": 1.5}, "event_files": ["a"]}


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_checkpoint_comes_back_to_the_last_bit(tmp_path):
    odd = np.array([1e-45, -0.0, np.inf, np.nan, np.float32(0.1)], np.float32)
    path = Checkpoints(tmp_path / "new").save(120, {**ARRAYS, "odd": odd}, STATE)
    assert path.name == "step-000000120.npz"
    found = read_checkpoint(path)
    assert (found.step, found.state) == (120, STATE)
    assert set(found.arrays) == {*ARRAYS, "odd"}
    assert found.arrays["odd"].tobytes() == odd.tobytes()
    assert found.arrays["generator/0000"].dtype == np.float32
    assert found.arrays["n"] == 7


def test_only_the_newest_are_kept(tmp_path):
    checkpoints = Checkpoints(tmp_path, keep=2)
    for step in (5, 10, 1000):
        checkpoints.save(step, ARRAYS, STATE)
    assert names(tmp_path) == ["step-000000010.npz", "step-000001000.npz"]
    assert checkpoints.newest().step == 1000


def test_the_newest_good_one_is_kept_too(tmp_path):
    checkpoints = Checkpoints(tmp_path, keep=2)
    for step in (5, 10, 15, 20, 25):
        checkpoints.save(step, ARRAYS, {"is_good": step <= 10})
    assert names(tmp_path) == [f"step-0000000{step}.npz" for step in (10, 20, 25)]
    assert [path.name for path in checkpoints.good()] == ["step-000000010.npz"]
    checkpoints.save(30, ARRAYS, {"is_good": True})
    assert names(tmp_path) == ["step-000000025.npz", "step-000000030.npz"]


def test_a_file_may_be_kept_with_each(tmp_path):
    best = tmp_path / "generator.keras"
    checkpoints = Checkpoints(tmp_path / "c", keep=1)
    checkpoints.save(5, ARRAYS, STATE, best)
    assert names(tmp_path / "c") == ["step-000000005.npz"]  # there was none
    for step in (10, 15):
        best.write_text(f"of step {step}")
        checkpoints.save(step, ARRAYS, STATE, best)
    best.write_text("a later one")
    assert names(tmp_path / "c") == ["step-000000015.keras", "step-000000015.npz"]
    assert (tmp_path / "c" / "step-000000015.keras").read_text() == "of step 15"
    checkpoints.drop_newer(14)
    assert names(tmp_path / "c") == []


def test_a_damaged_one_is_not_good(tmp_path):
    checkpoints = Checkpoints(tmp_path)
    for step in (5, 10):
        path = checkpoints.save(step, ARRAYS, {"is_good": True})
    path.write_bytes(b"damaged")
    assert [found.name for found in checkpoints.good()] == ["step-000000005.npz"]


def test_without_any_there_is_none(tmp_path):
    assert Checkpoints(tmp_path / "nowhere").newest() is None


def test_a_full_disk_leaves_the_one_before(tmp_path, monkeypatch):
    checkpoints = Checkpoints(tmp_path, keep=1)
    checkpoints.save(5, ARRAYS, STATE)

    def full(file, **_):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("acgan.checkpoints.np.savez", full)
    with pytest.raises(OSError, match="No space left"):
        checkpoints.save(10, ARRAYS, STATE)
    assert names(tmp_path) == ["step-000000005.npz"]
    assert checkpoints.newest().step == 5


@pytest.mark.parametrize(
    "damage",
    [lambda data: data[:100], lambda data: b"", lambda data: data[:-40] + b"x" * 40],
    ids=["cut off", "empty", "overwritten"],
)
def test_one_that_cant_be_read_is_said_and_the_one_before_is_taken(tmp_path, damage):
    checkpoints = Checkpoints(tmp_path)
    checkpoints.save(5, ARRAYS, STATE)
    path = checkpoints.save(10, ARRAYS, STATE)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(UserError, match=str(path)):
        read_checkpoint(path)
    said = []
    assert checkpoints.newest(said.append).step == 5
    (line,) = said
    assert str(path) in line
    assert "step 5 is taken in its place" in line


def test_if_none_can_be_read_nothing_begins_anew(tmp_path):
    checkpoints = Checkpoints(tmp_path)
    for step in (5, 10):
        checkpoints.save(step, ARRAYS, STATE).write_bytes(b"damaged")
    with pytest.raises(UserError, match=r"step-000000010.npz .*nor any other .*restore one"):
        checkpoints.newest()
    assert len(checkpoints.paths()) == 2


def test_what_is_newer_and_what_is_half_written_goes(tmp_path):
    checkpoints = Checkpoints(tmp_path)
    for step in (5, 10):
        checkpoints.save(step, ARRAYS, STATE)
    (tmp_path / ".step-000000015-99.part.npz").write_bytes(b"half")
    (tmp_path / "notes.txt").write_text("mine")
    checkpoints.drop_newer(5)
    assert names(tmp_path) == ["notes.txt", "step-000000005.npz"]
