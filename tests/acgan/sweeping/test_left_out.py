import pytest

from acgan.result_reading import read_results
from acgan.results import FIGURES, NOT_RUN
from acgan.sweeping.left_out import left_out, with_left_out
from acgan.sweeping.plan import keep_plan


@pytest.fixture
def plan(plan_of):
    return plan_of(batch_sizes=[128, 512, 1024], repeats=3)


@pytest.fixture
def results(make_run):
    """float32 fits at 128 alone; mixed_float16 was done at all sizes."""
    done = [make_run(128, "float32", n) for n in (1, 2, 3)] + [make_run(512, fits=False)]
    return done + [make_run(s, "mixed_float16", n) for s in (128, 512, 1024) for n in (1, 2, 3)]


def test_a_batch_that_does_not_fit_leaves_out_its_repeats_and_every_larger_size(plan, results):
    rows = left_out(plan, results)
    assert [(row.batch_size, row.policy, row.folder.name) for row in rows] == [
        (512, "float32", "b00512-float32-2"),
        (512, "float32", "b00512-float32-3"),
        (1024, "float32", "b01024-float32-1"),
        (1024, "float32", "b01024-float32-2"),
        (1024, "float32", "b01024-float32-3"),
    ]


def test_what_was_left_out_has_no_figures_and_says_why(plan, results, tmp_path):
    row = left_out(plan, results)[2]
    assert (row.status, row.fits, row.failure) == (NOT_RUN, False, None)
    assert row.message == "a batch of 512 does not fit"
    assert {getattr(row, name) for name in FIGURES} == {None}
    assert (row.steps, row.history, row.started) == (0, (), None)
    assert row.config["batch_size"] == 1024
    assert row.folder == tmp_path / "runs" / "b01024-float32-1"
    assert (row.sweep, row.device) == (tmp_path, "Tesla T4")


def test_where_everything_fits_nothing_is_left_out(plan, make_run):
    assert left_out(plan, []) == []
    # A run that failed for another reason says nothing of larger batches.
    assert left_out(plan, [make_run(128), make_run(512, status="failed")]) == []


def test_the_smallest_batch_that_does_not_fit_counts(plan, make_run):
    results = [make_run(1024, fits=False), make_run(512, fits=False)]
    names = [row.folder.name for row in left_out(plan, results)]
    assert names == [
        *("b00512-float32-2", "b00512-float32-3"),
        *("b01024-float32-2", "b01024-float32-3"),
    ]


def test_a_size_of_the_search_for_the_largest_leaves_out_larger_ones_too(plan, make_run):
    names = [row.folder.name for row in left_out(plan, [make_run(768, fits=False)])]
    assert names == ["b01024-float32-1", "b01024-float32-2", "b01024-float32-3"]


def test_each_sweep_among_the_results_adds_what_it_left_out(plan, results, tmp_path):
    keep_plan(plan, tmp_path / "kept")
    (tmp_path / "kept" / "sweep.json").rename(tmp_path / "sweep.json")
    every = with_left_out(results)
    assert every == (*results, *left_out(plan, results))
    assert len(every) == 13 + 5


def test_what_does_not_fit_in_one_sweep_may_fit_in_another(plan_of, write_record, tmp_path):
    plan, results = plan_of(batch_sizes=[8, 64], repeats=1), []
    for name in ("a", "b"):
        keep_plan(plan, tmp_path / name)
        write_record(tmp_path / name, 8, fits=name == "b")
        results += read_results([tmp_path / name]).runs
    (row,) = with_left_out(results)[2:]
    assert row.folder == tmp_path / "a" / "runs" / "b00064-float32-1"


def test_runs_of_no_sweep_and_of_a_damaged_one_stay_as_they_are(make_result, results, tmp_path):
    (tmp_path / "sweep.json").write_text("{}")
    runs = [make_result(status="failed", failure="out_of_memory"), *results]
    assert with_left_out(runs) == tuple(runs)
