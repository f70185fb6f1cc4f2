import csv
import subprocess
import sys

import pytest

from acgan.errors import UserError
from acgan.results import NOT_RUN
from acgan.sweeping.folder import SweepFolder, alone_in, is_finished


@pytest.fixture
def folder(tmp_path):
    return SweepFolder(tmp_path)


@pytest.fixture
def plan(plan_of):
    """Four runs: 8 and 64 images, each in both policies."""
    return plan_of(batch_sizes=[8, 64], repeats=1)


def rows(folder):
    with open(folder.results, newline="") as file:
        return [
            (int(row["batch_size"]), row["policy"], row["status"]) for row in csv.DictReader(file)
        ]


def test_everything_is_inside(folder, tmp_path):
    run = folder.run(64, "float32", 2)
    assert run.path == tmp_path / "runs" / "b00064-float32-2"
    assert folder.log(run) == tmp_path / "logs" / "b00064-float32-2.log"


@pytest.mark.parametrize(
    ("changes", "finished"),
    [
        ({}, True),
        ({"fits": False}, True),
        ({"status": "failed"}, False),
        ({"status": "interrupted"}, False),
        ({"status": "running"}, False),
    ],
)
def test_a_run_is_finished_if_it_was_completed_or_did_not_fit(
    folder, make_run, tmp_path, changes, finished
):
    result = make_run(8, **changes)
    assert is_finished(result) is finished
    assert folder.result(8, "float32", 1) == (result if finished else None)


def test_a_run_that_was_not_begun_has_no_result(folder):
    assert folder.result(8, "float32", 1) is None


def test_records_that_cant_be_read_are_no_results(folder, write_record, tmp_path):
    write_record(tmp_path, 8)
    for number, content in enumerate(("", "{}", '{"format": 1, "status": "comple')):
        other = tmp_path / "runs" / f"b0001{number}-float32-1"
        other.mkdir()
        (other / "run.json").write_text(content)
    (tmp_path / "runs" / "b00020-float32-1").mkdir()
    (result,) = folder.results_so_far()
    assert result.folder.name == "b00008-float32-1"
    assert result.sweep == tmp_path
    assert folder.result(10, "float32", 1) is None


def test_a_sweep_that_was_not_begun_has_no_results(folder, plan):
    assert folder.results_so_far() == []
    assert folder.standing(plan) == (0, 4, None)


def test_the_standing_of_a_sweep(folder, plan, write_record, tmp_path):
    write_record(tmp_path, 8, seconds=30.0, train_seconds=10.0)
    write_record(tmp_path, 8, "mixed_float16", status="interrupted", seconds=3.0)
    # mixed_float16 at 8 as long as float32; at 64 both 20 s and 10 s * 64 / 8.
    assert folder.standing(plan) == (1, 4, 30.0 + 2 * (20.0 + 80.0))


def test_runs_that_were_left_out_are_done(folder, plan, write_record, tmp_path):
    write_record(tmp_path, 8, fits=False)
    write_record(tmp_path, 8, "mixed_float16", seconds=30.0, train_seconds=10.0)
    # float32 at 8, which did not fit, and therefore at 64; mixed_float16 at 8
    assert folder.standing(plan) == (3, 4, 20.0 + 80.0)


def test_a_run_that_failed_before_its_batch_was_found_not_to_fit_is_done(
    folder, plan_of, write_record, tmp_path
):
    write_record(tmp_path, 8, repeat=1, status="failed")
    write_record(tmp_path, 8, repeat=2, fits=False)
    plan = plan_of(batch_sizes=[8], repeats=2, policies=["float32"])
    assert folder.standing(plan)[:2] == (2, 2)


def test_runs_of_the_search_for_the_largest_batch_are_counted_too(
    folder, plan_of, write_record, tmp_path
):
    plan = plan_of(batch_sizes=[8], repeats=1, policies=["float32"], find_max_batch=True)
    for size in (8, 16, 32):
        write_record(tmp_path, size)
    assert folder.standing(plan)[:2] == (3, 3)


def test_the_table_has_a_row_for_each_run_and_each_left_out(folder, plan, write_record, tmp_path):
    write_record(tmp_path, 8)
    write_record(tmp_path, 8, "mixed_float16", fits=False)
    write_record(tmp_path, 64, status="interrupted")
    folder.write_results(plan)
    assert rows(folder) == [
        (8, "float32", "completed"),
        (8, "mixed_float16", "failed"),
        (64, "float32", "interrupted"),
        (64, "mixed_float16", NOT_RUN),
    ]


def test_what_an_interrupted_run_left_is_removed(folder, write_record, tmp_path):
    write_record(tmp_path, 8)
    write_record(tmp_path, 64)
    folder.clear(folder.run(8, "float32", 1))
    folder.clear(folder.run(16, "float32", 1))  # there is none
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["b00064-float32-1"]


def test_a_second_process_is_refused_until_the_first_has_ended(tmp_path):
    program = (
        "import sys\n"
        "from acgan.sweeping.folder import alone_in\n"
        f"with alone_in({str(tmp_path)!r}, 'tuner0'):\n"
        "    print('in', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout.readline() == "in\n"
        with (
            pytest.raises(UserError, match=f"--out={tmp_path}: another process works on"),
            alone_in(tmp_path, "tuner0"),
        ):
            pass
        with alone_in(tmp_path, "tuner1"):  # another worker of the sweep
            pass
        first.kill()
        first.wait()
        with alone_in(tmp_path, "tuner0"):
            pass
