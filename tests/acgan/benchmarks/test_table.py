import json

import pytest

from acgan.benchmarks.measurement import Measurement
from acgan.benchmarks.table import check_writable, table, write_json
from acgan.errors import UserError

MEASUREMENTS = [
    Measurement(9, "peak memory", 1234.5, 1200.0, 1300.0, "MB"),
    Measurement(2, "step", 0.93, 0.9, 0.96, "ratio", arithmetic=0.92, note="GFLOP 1 / 2"),
]


def test_the_table_has_a_line_a_measurement_by_row():
    assert table(MEASUREMENTS).splitlines() == [
        "row  what         median    low   high  unit   arithmetic",
        "  2  step          0.930  0.900  0.960  ratio       0.920  GFLOP 1 / 2",
        "  9  peak memory   1,234  1,200  1,300  MB",
    ]


def test_json_holds_the_six_fields(tmp_path):
    write_json(tmp_path / "out.json", MEASUREMENTS)
    step, memory = json.loads((tmp_path / "out.json").read_text())
    assert step == {
        "row": 2, "name": "step", "ratio": 0.93, "low": 0.9, "high": 0.96, "unit": "ratio"
    }  # fmt: skip
    assert memory["row"] == 9
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_what_is_no_number_leaves_the_file_as_it_was(tmp_path):
    (tmp_path / "out.json").write_text("before")
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "out.json", [Measurement(1, "x", float("nan"), 0, 0, "s")])
    assert (tmp_path / "out.json").read_text() == "before"


def test_a_file_that_cannot_be_written_is_refused(tmp_path):
    check_writable(tmp_path / "out.json")
    assert not any(tmp_path.iterdir())
    with pytest.raises(UserError, match=r"--json=.* is a folder"):
        check_writable(tmp_path)
    with pytest.raises(UserError, match=r"--json=.*/none/out\.json can't be written \(No such"):
        check_writable(tmp_path / "none" / "out.json")
