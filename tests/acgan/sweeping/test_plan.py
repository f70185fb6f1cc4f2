import dataclasses
import json

import pytest

from acgan.errors import UserError
from acgan.sweeping.plan import Plan, check_plan, keep_plan, make_plan, read_plan


def test_the_flags_defaults_are_the_articles_experiment(plan_of):
    plan = plan_of()
    assert plan.policies == ("float32", "mixed_float16")
    assert plan.batch_sizes == (32, 128, 512, 1024, 2048)
    assert (plan.repeats, plan.objective) == (3, "images_per_second")
    assert plan.find_max_batch is False
    assert (plan.common["dataset"], plan.common["seed"]) == ("mnist5k", 0)


def test_what_only_the_sweep_has_is_no_flag_of_its_runs(plan_of):
    from acgan import command, train

    flags = plan_of().run_flags("float32", 32)
    assert set(flags) <= set(command.import_flags(train.FLAGS))
    assert (flags["policy"], flags["batch_size"]) == ("float32", 32)


def test_the_flags_given_are_left_as_they_are(make_values):
    values = make_values()
    make_plan(values)
    assert values == make_values()


def test_batch_sizes_are_sorted_and_policies_are_not(plan_of):
    plan = plan_of(batch_sizes=[512, 32, 128], policies=["mixed_float16", "float32"])
    assert plan.batch_sizes == (32, 128, 512)
    assert plan.policies == ("mixed_float16", "float32")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"policies": ["float32", "float16"]}, r"--policies: 'float16' is none of float32, mixed_"),
        ({"policies": ["float32", ""]}, r"--policies: '' is none of"),
        ({"policies": ["float32", "float32"]}, r"--policies: float32 is given twice"),
        ({"policies": []}, r"--policies is empty: give some"),
        ({"batch_sizes": ["32", "many"]}, r"--batch_sizes: 'many' is not a whole number from 1"),
        ({"batch_sizes": ["0"]}, r"--batch_sizes: '0' is not a whole number from 1"),
        ({"batch_sizes": ["-8"]}, r"--batch_sizes: '-8' is not"),
        ({"batch_sizes": ["8.0"]}, r"--batch_sizes: '8\.0' is not"),
        ({"batch_sizes": ["32", ""]}, r"--batch_sizes: '' is not"),
        ({"batch_sizes": ["32", "032"]}, r"--batch_sizes: 32 is given twice"),
        ({"batch_sizes": []}, r"--batch_sizes is empty: give some"),
    ],
)
def test_a_wrong_list_is_refused(make_values, flags, message):
    with pytest.raises(UserError, match=message):
        make_plan(make_values(**flags))


@pytest.mark.parametrize(
    ("flags", "steps"),
    [
        ({}, 60),
        ({"steps": 7}, 7),
        ({"minutes": 7.0}, None),
        ({"epochs": 2.0}, None),
        ({"minutes": 7.0, "steps": 500}, 500),
    ],
)
def test_a_run_takes_60_steps_unless_it_is_told_how_long(plan_of, flags, steps):
    assert plan_of(**flags).common["steps"] == steps


@pytest.mark.parametrize(
    ("flags", "evaluate"),
    [
        ({}, False),
        ({"steps": 500}, False),
        ({"epochs": 2.0}, False),
        ({"minutes": 7.0}, True),
        ({"minutes": 7.0, "evaluate": False}, False),
        ({"evaluate": True}, True),
    ],
)
def test_runs_of_equal_training_time_are_judged_unless_told_otherwise(plan_of, flags, evaluate):
    assert plan_of(**flags).common["evaluate"] is evaluate


def test_policies_take_turns(plan_of):
    plan = plan_of(batch_sizes=[8], repeats=2)
    assert plan.runs(8) == [
        ("float32", 1),
        ("mixed_float16", 1),
        ("float32", 2),
        ("mixed_float16", 2),
    ]


@pytest.mark.parametrize(
    ("flags", "steps"),
    [({}, 20), ({"steps": 7}, 7), ({"steps": 20}, 20), ({"minutes": 7.0}, 20)],
)
def test_a_size_that_the_search_comes_to_is_run_once_and_shortly(plan_of, flags, steps):
    plan = plan_of(batch_sizes=[8], **flags)
    assert plan.runs(16) == [("float32", 1), ("mixed_float16", 1)]
    found = plan.run_flags("float32", 16)
    assert (found["steps"], found["evaluate"]) == (steps, False)


def test_names_sort_as_sizes_do():
    assert Plan.run_name(96, "mixed_float16", 2) == "b00096-mixed_float16-2"
    sizes = (8, 96, 1024, 20_000)
    names = [Plan.run_name(size, "float32", 1) for size in sizes]
    assert names == sorted(names)


def test_the_digest_is_the_plans(plan_of):
    plan = plan_of(batch_sizes=[16, 8])
    assert plan.digest() == plan_of(batch_sizes=[8, 16]).digest()
    others = [{"repeats": 4}, {"seed": 1}, {"policies": ["float32"]}, {"find_max_batch": True}]
    digests = {plan_of(**{"batch_sizes": [8, 16], **change}).digest() for change in others}
    assert len(digests - {plan.digest()}) == 4


def test_a_plan_is_kept_in_a_new_folder_and_read_again(plan_of, tmp_path):
    plan = plan_of(classes=["3", "7"])
    folder = tmp_path / "sweeps" / "new"
    keep_plan(plan, folder)
    assert [path.name for path in folder.iterdir()] == ["sweep.json"]
    assert read_plan(folder) == plan


def test_an_empty_folder_is_taken(plan_of, tmp_path):
    keep_plan(plan_of(), tmp_path)
    assert (tmp_path / "sweep.json").exists()


def test_the_same_command_goes_on(plan_of, tmp_path):
    keep_plan(plan_of(classes=["3", "7"]), tmp_path)
    before = (tmp_path / "sweep.json").read_bytes()
    (tmp_path / "runs").mkdir()
    keep_plan(plan_of(classes=["3", "7"]), tmp_path)
    assert (tmp_path / "sweep.json").read_bytes() == before


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"repeats": 4}, "--repeats=3, not 4:"),
        ({"batch_sizes": [8, 16]}, "--batch_sizes=32,128,512,1024,2048, not 8,16:"),
        ({"policies": ["float32"]}, "--policies=float32,mixed_float16, not float32:"),
        ({"learning_rate": 0.001}, "--learning_rate=0.0002, not 0.001:"),
        ({"minutes": 7.0, "evaluate": False, "steps": 60}, "--minutes=None, not 7.0:"),
        ({"find_max_batch": True}, "--find_max_batch=False, not True:"),
    ],
)
def test_another_flag_is_refused_by_its_name(plan_of, tmp_path, flags, message):
    keep_plan(plan_of(), tmp_path)
    before = (tmp_path / "sweep.json").read_bytes()
    for check in (check_plan, keep_plan):
        with pytest.raises(UserError) as refusal:
            check(plan_of(**flags), tmp_path)
        assert str(refusal.value).startswith(f"--out={tmp_path} is a sweep with {message}")
    assert (tmp_path / "sweep.json").read_bytes() == before


def test_a_folder_of_something_else_is_left_as_it_is(plan_of, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    for check in (check_plan, keep_plan):
        with pytest.raises(UserError, match=f"--out={tmp_path} exists and is no sweep: choose"):
            check(plan_of(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_file_in_its_place_is_left_as_it_is(plan_of, tmp_path):
    file = tmp_path / "sweep"
    file.write_text("mine")
    with pytest.raises(UserError, match=f"--out={file} exists and is no sweep"):
        keep_plan(plan_of(), file)
    assert file.read_text() == "mine"


def test_a_folder_that_cant_be_made_is_named(plan_of, tmp_path):
    (tmp_path / "file").write_text("mine")
    folder = tmp_path / "file" / "sweep"
    with pytest.raises(UserError, match=rf"--out={folder} can't be written \(Not a directory\): c"):
        keep_plan(plan_of(), folder)


def test_a_full_disk_leaves_no_half_plan(plan_of, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(UserError, match=r"can't be written \(No space left on device\)"):
        keep_plan(plan_of(), tmp_path / "sweep")
    assert list((tmp_path / "sweep").iterdir()) == []


def damaged(plan, **changes):
    """The text of sweep.json with some fields of the plan changed; None takes one away."""
    fields = {**dataclasses.asdict(plan), **changes}
    fields = {name: value for name, value in fields.items() if value is not None}
    return json.dumps({"format": 1, "plan": fields})


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b'{"format": 1, "plan": {"poli',
        b"[1]",
        b"{}",
        b'{"format": 1, "plan": null}',
        b'{"format": 1, "plan": {"common": []}}',
        b'{"format": 1, "plan": {"common": {}}}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_plan_is_named(plan_of, tmp_path, content):
    path = tmp_path / "sweep.json"
    path.write_bytes(content)
    for call in (lambda: keep_plan(plan_of(), tmp_path), lambda: read_plan(tmp_path)):
        with pytest.raises(UserError, match=f"{path} can't be read as a sweep's plan of format 1"):
            call()
    assert path.read_bytes() == content


def test_a_plan_of_another_format_is_refused(plan_of, tmp_path):
    keep_plan(plan_of(), tmp_path)
    path = tmp_path / "sweep.json"
    path.write_text(path.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(UserError, match="can't be read as a sweep's plan of format 1"):
        keep_plan(plan_of(), tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"policies": None},
        {"repeats": None},
        {"repeats": "3"},
        {"batch_sizes": ["8"]},
        {"batch_sizes": 8},
        {"surprise": 1},
    ],
)
def test_a_plan_that_lacks_something_cant_be_read(plan_of, tmp_path, changes):
    (tmp_path / "sweep.json").write_text(damaged(plan_of(), **changes))
    with pytest.raises(UserError, match=f"^{tmp_path}.* can('t)? be read"):
        read_plan(tmp_path)


def test_without_a_plan_there_is_none_to_read(tmp_path):
    with pytest.raises(UserError, match=f"{tmp_path}/sweep.json can't be read"):
        read_plan(tmp_path)
