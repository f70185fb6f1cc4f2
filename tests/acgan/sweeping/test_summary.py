import pytest

from acgan.sweeping.folder import SweepFolder
from acgan.sweeping.summary import summary


@pytest.fixture
def lines(tmp_path):
    """The lines of the summary of the sweep in `tmp_path`."""

    def of(plan):
        return summary(plan, SweepFolder(tmp_path)).splitlines()

    return of


@pytest.fixture
def plan(plan_of):
    return plan_of(batch_sizes=[8, 1024], repeats=2)


def test_the_table_shows_mean_and_extremes_and_what_does_not_fit(
    plan, write_record, lines, tmp_path
):
    write_record(tmp_path, 8, repeat=1, step_ms=10.0)
    write_record(tmp_path, 8, repeat=2, step_ms=12.0)  # mean 11
    write_record(tmp_path, 8, "mixed_float16", repeat=1, step_ms=9.96)
    write_record(tmp_path, 1024, fits=False)
    write_record(tmp_path, 1024, "mixed_float16", repeat=1, step_ms=1234.5)
    write_record(tmp_path, 1024, "mixed_float16", repeat=2, step_ms=1235.5)  # mean 1235
    assert lines(plan)[:4] == [
        "",
        "ms a step                         float32                   mixed_float16",
        "        8             11.0 (10.0 to 12.0)             10.0 (10.0 to 10.0)",
        "    1,024                    does not fit    1,235.0 (1,234.5 to 1,235.5)",
    ]


def test_sizes_that_were_left_out_do_not_fit_and_others_are_missing(
    plan_of, write_record, lines, tmp_path
):
    plan = plan_of(batch_sizes=[8, 64, 1024], repeats=1)
    write_record(tmp_path, 8, "mixed_float16", status="failed", step_ms=None)
    write_record(tmp_path, 64, fits=False)
    table = [line.split("  ") for line in lines(plan)[1:5]]
    cells = [[word.strip() for word in row if word.strip()] for row in table]
    assert cells == [
        ["ms a step", "float32", "mixed_float16"],
        ["8", "-", "failed"],
        ["64", "does not fit", "-"],
        ["1,024", "does not fit", "-"],
    ]


def test_a_table_for_each_kind_of_machine(plan, write_record, lines, tmp_path):
    write_record(tmp_path, 8, repeat=1, device="T4", step_ms=10.0)
    write_record(tmp_path, 8, repeat=2, device="V100", step_ms=5.0)
    steps = [line.split()[1] for line in lines(plan) if line.startswith("        8")]
    assert steps == ["10.0", "5.0"]


def test_the_headline_is_the_reports(plan_of, write_record, lines, tmp_path):
    for repeat in (1, 2, 3):
        write_record(tmp_path, 8, repeat=repeat, step_ms=10.0 + 0.01 * repeat)
        write_record(tmp_path, 8, "mixed_float16", repeat, step_ms=6.0 + 0.01 * repeat)
    found = lines(plan_of(batch_sizes=[8]))
    title = found.index("Tesla T4: train in mixed_float16 at batch size 8")
    # 6.02 / 10.02 = 0.6008
    assert found[title + 1].startswith("  40 % less time than float32 at the same batch size")


def test_where_to_find_it_all(plan, write_record, lines, tmp_path):
    write_record(tmp_path, 8)
    results, page = lines(plan)[-2:]
    assert results == f"results      {tmp_path}/results.csv"
    assert page.startswith("page         ")
    assert page.endswith(f"-m acgan.report {tmp_path} --out=report")


def test_a_folder_with_spaces_can_be_copied_into_a_shell(plan, tmp_path):
    page = summary(plan, SweepFolder(tmp_path / "my sweep")).splitlines()[-1]
    assert f"'{tmp_path}/my sweep' --out=report" in page


def test_without_results_it_says_where_they_will_be(plan, lines, tmp_path):
    found = lines(plan)
    assert found[:2] == ["", f"results      {tmp_path}/results.csv"]
    assert len(found) == 3


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        ([(8, {}), (1024, {}), (96, {}), (104, {"fits": False})], "1,024 fits, 104 does not"),
        ([(8, {}), *((s, {"fits": False}) for s in (1104, 2208))], "8 fits, 1,104 does not"),
        ([(8, {}), (1024, {})], "1,024 fits, no larger one was tried"),
        ([(8, {"fits": False})], "8 does not fit, no smaller one was tried"),
        ([(8, {"status": "failed"})], "no run was completed"),
        ([], "no run was completed"),
    ],
)
def test_the_largest_batch_that_fits(plan_of, write_record, lines, tmp_path, runs, words):
    for size, changes in runs:
        write_record(tmp_path, size, **changes)
    plan = plan_of(batch_sizes=[8], find_max_batch=True, policies=["float32", "mixed_float16"])
    found = [line for line in lines(plan) if line.startswith("largest")]
    assert found == [
        f"largest batch in float32: {words}",
        "largest batch in mixed_float16: no run was completed",
    ]


def test_who_did_not_search_for_it_is_not_told(plan, write_record, lines, tmp_path):
    write_record(tmp_path, 8)
    assert not [line for line in lines(plan) if line.startswith("largest")]
