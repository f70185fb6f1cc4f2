from acgan.reporting.tables.settings import setting_tables

TIMES = {
    "float32": {100: [40.0, 50.0, 60.0], 200: [100.0], 400: [None]},
    "mixed_float16": {100: [40.0, 50.0, 60.0], 200: [50.0], 400: [200.0]},
}


def test_every_setting_has_a_row(only_group):
    (table,) = setting_tables(only_group(TIMES, usd_per_hour=0.36))
    assert table.title == "Tesla T4"
    # 0.36 USD/h are 0.0001 USD/s; 50 ms for 100 images are 500 s for a million.
    # Images a second: (100 / 0.040 + 100 / 0.050 + 100 / 0.060) / 3 = 2,056
    assert table.rows == (
        ("100", "float32", "50.0 (40.0–60.0)", "–", "2,056", "0.0500 (0.0400–0.0600)", "yes"),
        (
            *("100", "mixed_float16", "50.0 (40.0–60.0)", "no difference (0 to 0 %)", "2,056"),
            *("0.0500 (0.0400–0.0600)", "yes"),
        ),
        ("200", "float32", "100", "–", "2,000", "0.0500", "yes"),
        ("200", "mixed_float16", "50.0", "50 % less (measured once)", "4,000", "0.0250", "yes"),
        ("400", "float32", "–", "–", "–", "–", "no"),
        ("400", "mixed_float16", "200", "–", "2,000", "0.0500", "yes"),
    )


def test_the_recommended_row_stands_out(only_group):
    (table,) = setting_tables(only_group(TIMES))
    # Those measured once are no candidates beside those with repeats.
    assert [table.rows[number][:2] for number in table.best] == [("100", "float32")]


def test_a_run_that_is_going_on_neither_fits_nor_does_not(only_group):
    (table,) = setting_tables(
        only_group({"float32": {8: [None]}}, status="running", failure=None, message=None)
    )
    assert table.rows == (("8", "float32", *"–––––"),)
    assert table.best == ()


def test_each_device_has_a_table(article_group):
    titles = [table.title for table in setting_tables(article_group)]
    assert titles == ["Tesla P100-PCIE-16GB", "Tesla T4", "Tesla V100-SXM2-16GB"]
