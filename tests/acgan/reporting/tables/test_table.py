from acgan.reporting.grouping import Spread
from acgan.reporting.tables.table import in_order, spread_text


def test_a_spread_has_its_ends_beside_it():
    assert spread_text(Spread(16.21, 16.14, 16.4, 3)) == "16.2 (16.1–16.4)"


def test_ends_that_read_the_same_are_not_said_twice():
    assert spread_text(Spread(16.21, 16.19, 16.22, 3)) == "16.2"
    assert spread_text(Spread(5.0, 5.0, 5.0, 1)) == "5.00"


def test_what_was_not_measured_is_no_number():
    assert spread_text(None) == "–"


def test_small_batches_come_first_and_float32_before_others(only_group):
    (device,) = only_group(
        {policy: {64: [1.0], 8: [1.0]} for policy in ("bfloat16", "float32")}
    ).devices
    assert [(cell.batch_size, cell.policy) for cell in in_order(device)] == [
        (8, "float32"),
        (8, "bfloat16"),
        (64, "float32"),
        (64, "bfloat16"),
    ]
