import csv
import dataclasses

import pytest

from acgan.results import NOT_RUN
from acgan.results_table import write_results


@pytest.fixture
def rows(tmp_path):
    """Writes results as a table and reads it as a list of dictionaries."""

    def write(*results, path=tmp_path / "results.csv"):
        write_results(results, path)
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file, strict=True))

    return write


def test_a_row_holds_what_was_measured_under_names_with_units(make_result, rows):
    (row,) = rows(
        make_result(
            device="T4",
            policy="mixed_float16",
            batch_size=2048,
            step_ms=410.0,
            usd_per_hour=0.526,
            minutes=7.0,
            history=[(5.0, 90.0), (10.0, 40.0)],
            **{"cost.usd_total": 1.5, "tensor_cores.kernel_time_percent": 50.0},
        )
    )
    assert (row["device"], row["batch_size"], row["policy"]) == (
        "Tesla T4",
        "2048",
        "mixed_float16",
    )
    assert (row["repeat"], row["status"]) == ("1", "completed")
    assert float(row["step_ms"]) == 410.0
    assert float(row["images_per_second"]) == pytest.approx(2048 / 0.410)
    assert float(row["ms_per_1000_images"]) == pytest.approx(410 / 2.048)
    assert float(row["usd_per_million_batches"]) == pytest.approx(0.526 * 410_000 / 3600)
    assert float(row["usd_per_million_images"]) == pytest.approx(0.526 * 410_000 / 3600 / 2048)
    assert (row["usd_per_hour"], row["usd_total"]) == ("0.526", "1.5")
    assert row["tensor_cores_kernel_time_percent"] == "50.0"
    assert (row["fid"], row["last_fid"], row["minutes"]) == ("40.0", "40.0", "7.0")
    assert (row["image_shape"], row["class_names"]) == ("32x32x3", "cat; ship")
    assert row["jit_compile"] == "false"


def test_what_was_not_measured_is_an_empty_cell(make_result, rows):
    (row,) = rows(make_result(device="CPU", step_ms=None))
    for name in ("step_ms", "images_per_second", "usd_per_million_images", "fid", "mfu_percent"):
        assert row[name] == ""


def test_every_figure_of_a_result_has_a_column(make_result, rows):
    result = make_result()
    (row,) = rows(result)
    elsewhere = {"sweep", "on_gpu", "gpu_name", "gpu_count", "machines", "config", "history"}
    renamed = {"kernel_time_percent", "eligible_time_percent", "efficiency_percent"}
    names = {field.name for field in dataclasses.fields(result)} - elsewhere - renamed
    assert names <= set(row)
    assert {f"tensor_cores_{name}" for name in renamed} <= set(row)


def test_rows_are_in_order(make_result, rows):
    def run(device, batch_size, policy, minute):
        started = f"2026-11-01T12:{minute:02d}:00+00:00"
        return make_result(device=device, batch_size=batch_size, policy=policy, started=started)

    found = rows(
        run("V100", 32, "float32", 9),
        run("T4", 128, "float32", 4),
        run("T4", 128, "mixed_float16", 3),
        run("T4", 128, "mixed_bfloat16", 2),
        run("T4", 128, "float32", 1),
        run("T4", 32, "mixed_float16", 0),
    )
    names = ("device", "batch_size", "policy", "repeat")
    assert [tuple(row[name] for name in names) for row in found] == [
        ("Tesla T4", "32", "mixed_float16", "1"),
        ("Tesla T4", "128", "float32", "1"),
        ("Tesla T4", "128", "float32", "2"),
        ("Tesla T4", "128", "mixed_bfloat16", "1"),
        ("Tesla T4", "128", "mixed_float16", "1"),
        ("Tesla V100-SXM2-16GB", "32", "float32", "1"),
    ]
    assert [row["started"][14:16] for row in found] == ["00", "01", "04", "02", "03", "09"]


def test_repeats_are_counted_within_a_setting(make_result, rows):
    found = rows(make_result(network="article"), make_result(network="dcgan", width=32))
    assert [row["repeat"] for row in found] == ["1", "1"]


def test_runs_that_were_left_out_have_a_row(make_result, rows):
    left_out = dataclasses.replace(
        make_result(step_ms=None), status=NOT_RUN, message="a batch of 64 does not fit"
    )
    (row,) = rows(left_out)
    assert (row["status"], row["message"]) == ("not run", "a batch of 64 does not fit")


@pytest.mark.parametrize(
    ("message", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@x", "'@x"),
        ("\t=1", "'=1"),
        ("--batch_size=64 does not fit", "'--batch_size=64 does not fit"),
        ('two\nlines, "quoted"', 'two lines, "quoted"'),
        ("a = b", "a = b"),
    ],
)
def test_a_message_is_one_line_and_no_formula(make_result, rows, message, cell):
    (row,) = rows(make_result(status="failed", message=message))
    assert row["message"] == cell


def test_folders_are_relative_to_the_tables_own(make_result, rows, tmp_path):
    result = make_result()
    (tmp_path / "report").mkdir()
    (row,) = rows(result, path=tmp_path / "report" / "results.csv")
    assert row["folder"] == f"../made/{result.folder.name}"
    assert (tmp_path / "report" / row["folder"]).resolve() == result.folder.resolve()


def test_a_table_replaces_the_one_before_and_leaves_nothing_else(make_result, rows, tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()
    rows(make_result(), make_result(), path=folder / "results.csv")
    assert len(rows(make_result(), path=folder / "results.csv")) == 1
    assert [path.name for path in folder.iterdir()] == ["results.csv"]
