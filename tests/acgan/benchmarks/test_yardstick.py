from acgan.benchmarks import loops, yardstick


def test_the_best_product_counts():
    # 2 x 1000^3 in 1 s are 2e9 a second, 2 x 2000^3 in 4 s are 4e9.
    assert yardstick.best_rate({1000: 1.0, 2000: 4.0}) == 4e9


def test_no_product_is_smaller_than_the_rule_allows():
    assert min(size for sizes in yardstick.SIZES.values() for size in sizes) == 1024


def test_the_product_is_computed_in_the_dtype(monkeypatch):
    steps = []
    monkeypatch.setattr(loops, "timed", steps.append)
    yardstick.product(8, "bfloat16")
    operations = steps[0].get_concrete_function().graph.get_operations()
    products = [op.outputs[0] for op in operations if op.type == "MatMul"]
    assert [(p.dtype.name, p.shape.as_list()) for p in products] == [("bfloat16", [8, 8])]
