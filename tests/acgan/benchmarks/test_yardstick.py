import pytest

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


@pytest.mark.parametrize("features, left_out", [(["avx2"], True), (["avx2", "avx512_bf16"], False)])
def test_bfloat16_is_left_out_where_the_cpu_has_no_units_for_it(monkeypatch, features, left_out):
    monkeypatch.setattr(loops, "on_gpu", lambda: False)
    machine = {"device": "CPU", "cpu_features": features}
    monkeypatch.setattr(yardstick.hardware, "detect", lambda: machine)
    monkeypatch.setattr(yardstick, "_row", lambda network, policy, *_: (network, policy))
    rows = yardstick.rows(15)
    line = "bfloat16: no fast bfloat16 arithmetic here"
    slow = [] if left_out else [(network, "mixed_bfloat16") for network in loops.NETWORKS]
    assert rows == [line] * left_out + [(n, "float32") for n in loops.NETWORKS] + slow
