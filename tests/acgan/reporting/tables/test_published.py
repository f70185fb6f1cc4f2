from acgan.reporting.tables.published import published_table


def test_published_values_stand_beside_the_measured_ones(article_group):
    table = published_table(article_group)
    rows = {(row[0], row[1], row[2]): row[3:] for row in table.rows}
    time = rows["Tesla T4", "time of a batch", "float32"]
    assert time == ("2048", "700 ms", "700 (699–701) ms")
    # 700 ms at 0.526 USD/h: 700,000 s / 3600 * 0.526
    price = rows["Tesla T4", "price of a million batches", "float32"]
    assert price == ("2048", "178 USD", "102 USD")
    claim = rows["Tesla V100-SXM2-16GB", "less time than float32", "mixed_float16"]
    assert claim == ("large", "15–40 %", "36 % less (batch size 2048)")
    assert any("contradict each other" in note for note in table.notes)
    assert len(set(table.notes)) == len(table.notes)


def test_what_was_not_measured_is_no_number(only_group):
    table = published_table(only_group({"float32": {64: [10.0]}}))
    assert {row[-1] for row in table.rows} == {"–"}


def test_another_setting_has_no_published_values(only_group):
    assert published_table(only_group({"float32": {64: [10.0]}}, network="dcgan")) is None
