from acgan.reporting.tables.runs import runs_table


def test_every_run_has_a_row_failed_ones_with_their_message(only_group, tmp_path):
    table = runs_table([only_group({"float32": {8: [10.0, 12.5], 16: [None]}})])
    runs = tmp_path / "sweep" / "runs"
    folders = [str(runs / name) for name in ("b8-float32-1", "b8-float32-2", "b16-float32-1")]
    message = "--batch_size=16 does not fit"
    assert table.rows == (
        ("Tesla T4", "float32", "completed", "8", "1", "60", "10.0", "–", folders[0], ""),
        ("Tesla T4", "float32", "completed", "8", "2", "60", "12.5", "–", folders[1], ""),
        ("Tesla T4", "float32", "failed", "16", "1", "60", "–", "–", folders[2], message),
    )
