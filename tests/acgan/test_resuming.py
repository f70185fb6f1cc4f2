import json

import numpy as np
import pytest

from acgan.checkpoints import Checkpoints
from acgan.errors import UserError
from acgan.resuming import drop_newer, files_in, look_back
from acgan.runs import RunFolder

FLAGS = {
    "network": "dcgan",
    "width": None,
    "policy": "auto",
    "classes": [],
    "steps": None,
    "epochs": None,
    "minutes": None,
    "log_every": 10,
    "new_flag": 1,
    "run_dir": "run",
    "resume": True,
    "allow_policy_change": False,
}
CONFIG = {"network": "dcgan", "width": 8, "policy": "auto", "classes": ["3", "7"], "steps": 60}
CONFIG |= {"epochs": None, "minutes": None, "log_every": 2, "gone_flag": 5}


def no_report(line):
    raise AssertionError(line)


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path)


@pytest.fixture
def write(folder):
    def write_record(**changes):
        record = {
            "format": 1,
            "status": "interrupted",
            "config": CONFIG,
            "resolved": {"policy": "mixed_float16", "class_names": ["3", "7"]},
            "seconds": {"total": 100.0, "train": 60.0},
            **changes,
        }
        folder.record.write_text(json.dumps(record))

    return write_record


def back(folder, report=no_report, **given):
    return look_back(folder, FLAGS | given, set(given), report)


def test_a_run_goes_on_with_its_own_flags_and_policy(folder, write):
    write()
    before = back(folder)
    assert before.values == {
        **FLAGS,
        **{"width": 8, "classes": ["3", "7"], "steps": 60, "log_every": 2},
        "policy": "mixed_float16",  # what "auto" was
    }
    assert (before.step, before.policy, before.checkpoint) == (0, None, None)


def test_flags_that_decide_nothing_may_be_given_anew(folder, write):
    write()
    values = back(folder, log_every=5, new_flag=2).values
    assert (values["log_every"], values["new_flag"]) == (5, 2)


def test_a_new_limit_takes_the_place_of_all_old_ones(folder, write):
    write()
    values = back(folder, minutes=3.0).values
    assert (values["steps"], values["minutes"]) == (None, 3.0)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"width": 16}, "was trained with --width=8 and can't go on with 16"),
        ({"classes": ["3"]}, "with --classes=3,7 and can't go on with 3"),
        ({"policy": "float32"}, "--policy=auto and can't .* float32.*--allow_policy_change"),
    ],
)
def test_others_are_refused_with_both_values(folder, write, given, line):
    write()
    with pytest.raises(UserError, match=line):
        back(folder, **given)


def test_the_same_value_given_again_is_none_other(folder, write):
    write()
    assert back(folder, width=8, classes=["3", "7"], policy="auto").values["width"] == 8
    assert back(folder, policy="mixed_float16").values["policy"] == "mixed_float16"


def test_another_policy_may_be_allowed(folder, write):
    write()
    state = {"seconds": {"total": 1.0}, "policy": "mixed_float16", "policy_changes": []}
    Checkpoints(folder.checkpoints).save(5, {"a": np.zeros(1)}, state)
    before = back(folder, policy="float32", allow_policy_change=True)
    assert (before.values["policy"], before.policy) == ("float32", "mixed_float16")


def test_a_run_that_ended_before_it_began_begins(folder):
    folder.record.write_text("{}")
    before = back(folder, width=16)
    assert (before.values, before.step) == ({**FLAGS, "width": 16}, 0)
    assert before.seconds() is None


def test_a_record_that_is_none_is_named(folder):
    folder.record.write_text("[1, 2")
    with pytest.raises(UserError, match=r"run\.json can't be read"):
        back(folder)


def test_lost_work_stays_in_the_total_alone(folder, write):
    # 100 s in all when it ended; 40 s trained and 70 s in all when it was saved
    write()
    Checkpoints(folder.checkpoints).save(
        5, {"a": np.zeros(1)}, {"seconds": {"total": 70.0, "train": 40.0}}
    )
    before = back(folder)
    assert before.step == 5
    assert before.seconds() == {"total": 100.0, "train": 40.0}


def touch(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def test_what_was_written_after_the_checkpoint_goes(folder):
    touch(folder.tensorboard, "events.1", "plugins/profile/1/a.xplane.pb")
    kept = files_in(folder.tensorboard)
    assert kept == ["events.1", "plugins/profile/1/a.xplane.pb"]
    checkpoints = Checkpoints(folder.checkpoints)
    state = {"event_files": kept, "samples": ["step-000005.png"]}
    checkpoints.save(5, {"a": np.zeros(1)}, state)
    touch(folder.tensorboard, "events.2", "plugins/profile/2/a.xplane.pb")
    touch(folder.path, ".generator-7.part.keras")
    touch(folder.samples, "step-000005.png", "step-000006.png")
    drop_newer(folder, checkpoints.newest())
    assert files_in(folder.tensorboard) == kept
    assert [path.name for path in folder.samples.iterdir()] == ["step-000005.png"]
    assert not (folder.path / ".generator-7.part.keras").exists()


def test_without_a_checkpoint_everything_goes_but_the_record(folder, write):
    write()
    touch(folder.tensorboard, "events.1")
    touch(folder.samples, "step-000020.png")
    drop_newer(folder, None)
    assert files_in(folder.tensorboard) == []
    assert list(folder.samples.iterdir()) == []
    assert folder.record.exists()
