import sys
from types import SimpleNamespace

import pytest

from acgan.benchmarks.catalogue import ROWS, Row, chosen
from acgan.errors import UserError


def test_every_row_has_a_number_of_its_own():
    assert sorted(row.number for row in ROWS) == list(range(1, 10))


def test_rows_are_chosen_by_number():
    assert chosen([]) == list(ROWS)
    assert {row.number for row in chosen(["3", " 1"])} == {1, 3}


@pytest.mark.parametrize("number", ["0", "10", "one", ""])
def test_an_unknown_row_is_refused(number):
    with pytest.raises(UserError, match=rf"--rows=1,{number}: there is no row .*: 1 \(fit / bare"):
        chosen(["1", number])


def test_a_row_is_measured_by_its_module(monkeypatch):
    module = SimpleNamespace(rows=lambda pairs: [pairs], unavailable=lambda: None)
    monkeypatch.setitem(sys.modules, "acgan.benchmarks.made_up", module)
    assert Row(1, "", "made_up").measure(5) == ([5], [])
    module.rows = lambda pairs: [pairs, "no GPU", pairs]
    assert Row(1, "", "made_up").measure(5) == ([5, 5], ["no GPU"])
    module.unavailable = lambda: "it rains"
    assert Row(1, "", "made_up").measure(5) == ([], ["it rains"])


def test_a_row_whose_package_is_missing_says_so():
    measured, (reason,) = Row(1, "", "not_there").measure(5)
    assert measured == []
    assert "acgan.benchmarks.not_there" in reason
