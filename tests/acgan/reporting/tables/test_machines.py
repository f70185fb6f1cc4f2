from acgan.reporting.tables.machines import days_of, machines_table


def test_a_row_says_where_when_and_at_which_price_it_was_measured(only_group):
    table = machines_table([only_group({"float32": {8: [10.0, 10.0], 16: [None]}})])
    assert table.rows == (
        (
            *("Tesla T4", "7.5"),
            "article network, cifar10, 32x32x3 images, jit off, TensorFlow 2.21.0",
            *("3", "2", "2026-11-01", "a table"),
        ),
    )


def test_repeats_and_days_that_differ_are_ranges(only_group):
    group = only_group({"float32": {8: [10.0, 10.0, 10.0], 16: [10.0]}}, device="CPU")
    ((*_, repeats, _, price),) = machines_table([group]).rows
    assert repeats == "1 to 3"
    assert price == "–"


def test_days_are_the_first_and_the_last(make_result):
    days = ["2026-11-03T08:00:00+00:00", "2026-10-30T08:00:00+00:00", None]
    assert days_of([make_result(started=day) for day in days]) == "2026-10-30 to 2026-11-03"
    assert days_of([make_result(started=None)]) is None
