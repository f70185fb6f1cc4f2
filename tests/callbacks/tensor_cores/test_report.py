import pytest

from callbacks.tensor_cores.kernel import Device, Kernel
from callbacks.tensor_cores.report import shorten, to_table
from callbacks.tensor_cores.summary import summarize

SUMMARY = summarize(
    [
        Kernel("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", "a/MatMul:MatMul", 3000.0, 2),
        Kernel("void Eigen::internal::EigenMetaKernel<" + "x" * 300, "b/Relu:Relu", 1000.0, 5),
        Kernel("copy", "c/Cast:Cast", 0.0, 1, Device("Tesla V100", "7.0")),
    ]
)


@pytest.mark.parametrize("width", [80, 100, 200])
def test_the_table_fits_the_terminal(width):
    lines = to_table("a.json", SUMMARY, 20, width).splitlines()
    assert max(len(line) for line in lines) <= width


def test_the_table_shows_the_top_kernels_the_rest_and_the_total():
    table = to_table("a.json", SUMMARY, 1, 100)
    assert " 75.0 %        3.000          2  yes           MatMul:MatMul" in table
    assert " 25.0 %        1.000          6  (2 more)" in table
    assert "100.0 %        4.000          8  all" in table
    assert "efficiency    100.0 %" in table


@pytest.mark.parametrize(
    ("text", "width", "short"),
    [("abc", 3, "abc"), ("abcdefghij", 7, "abcd…ij"), ("a\nb\x1b[1m", 9, "a?b?[1m")],
)
def test_shorten_keeps_both_ends_and_one_line(text, width, short):
    assert shorten(text, width) == short
