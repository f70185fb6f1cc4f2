import csv
import subprocess
import sys

import pytest

from callbacks.peak_rates import PACKAGED, name_words, peak_tflops


# From the data sheets: V100 SXM2 125 and 15.7, T4 65 and 8.1, A100 312, 156 (TF32) and 19.5,
# H100 SXM 989, H100 PCIe 756, L4 121, L40S 362 TFLOP/s.
@pytest.mark.parametrize(
    ("gpu", "policy", "expected"),
    [
        ("Tesla V100-SXM2-16GB", "mixed_float16", 125),
        ("Tesla V100-SXM2-32GB", "float32", 15.7),
        ("Tesla V100-PCIE-16GB", "mixed_float16", 112),
        ("Tesla T4", "mixed_float16", 65),
        ("NVIDIA T4", "float32", 8.1),
        ("NVIDIA A100-SXM4-40GB", "mixed_float16", 312),
        ("NVIDIA A100 80GB PCIe", "mixed_bfloat16", 312),
        ("NVIDIA A100-PCIE-80GB", "bfloat16", 312),
        ("NVIDIA H100 80GB HBM3", "float16", 989),
        ("NVIDIA H100 PCIe", "mixed_float16", 756),
        ("NVIDIA H200", "mixed_bfloat16", 989),
        ("NVIDIA L4", "mixed_float16", 121),
        ("NVIDIA L40S", "mixed_float16", 362),
        ("NVIDIA GeForce RTX 4090", "mixed_float16", 165),
        ("Tesla P100-PCIE-16GB", "float32", 9.3),
    ],
)
def test_published_rates(gpu, policy, expected):
    assert peak_tflops(gpu, policy) == expected


def test_float32_uses_tf32_where_the_gpu_has_it_and_it_is_on():
    assert peak_tflops("NVIDIA A100-SXM4-40GB", "float32") == 156
    assert peak_tflops("NVIDIA A100-SXM4-40GB", "float32", tf32=False) == 19.5
    assert peak_tflops("Tesla T4", "float32", tf32=True) == 8.1


@pytest.mark.parametrize(
    ("gpu", "policy"),
    [
        (None, "float32"),
        ("AMD EPYC 7B13", "float32"),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", "float32"),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "float32"),
        ("GRID T4-16Q", "float32"),
        ("NVIDIA A10G", "float32"),
        ("Tesla P100-PCIE-16GB", "mixed_float16"),
        ("Tesla V100-SXM2-16GB", "mixed_bfloat16"),
        ("Tesla T4", "float64"),
    ],
)
def test_what_no_data_sheet_tells_is_none(gpu, policy):
    assert peak_tflops(gpu, policy) is None


def test_words_of_a_name():
    assert name_words("Tesla V100-SXM2-16GB") == {"V100", "SXM2", "16GB"}
    assert name_words("NVIDIA A100-PCIE-80GB") == name_words("NVIDIA A100 80GB PCIe")
    assert name_words("NVIDIA L4") != name_words("NVIDIA L40S")


def test_every_row_is_complete_and_bfloat16_is_as_fast_as_float16_from_ampere_on():
    with PACKAGED.open() as file:
        rows = list(csv.DictReader(file))
    names = [name_words(row["gpu"]) for row in rows]
    assert len(set(names)) == len(names)
    for row in rows:
        assert row["source"]
        assert float(row["float32"]) > 0
        assert row["bfloat16"] == (row["float16"] if row["tf32"] else "")


def test_tensorflow_is_not_needed():
    code = "import sys, callbacks.prices, callbacks.peak_rates; print('tensorflow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
