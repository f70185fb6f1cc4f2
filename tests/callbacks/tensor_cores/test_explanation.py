import keras
import pytest

from callbacks.flops import layer_calls
from callbacks.tensor_cores.explanation import explain, odd_sizes
from callbacks.tensor_cores.kernel import Device, Kernel
from callbacks.tensor_cores.summary import summarize

FAST, SLOW = "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", "volta_sgemm_128x64_nn"


def summary_of(fast_us, slow_us):
    device = Device("Tesla V100-SXM2-16GB", "7.0")
    return summarize(
        [
            Kernel(FAST, "a/MatMul:MatMul", fast_us, device=device),
            Kernel(SLOW, "b/MatMul:MatMul", slow_us, device=device),
        ]
    )


def test_a_high_share_needs_no_explanation():
    assert explain(summary_of(90.0, 10.0), "mixed_float16", "7.0") == []


def test_the_policy_comes_before_other_reasons():
    reasons = explain(
        summary_of(0.0, 10.0), "float32", "7.0", odd_sizes=["dense (input width 110)"]
    )
    assert "float32" in reasons[0]
    assert "110" in reasons[1]
    assert SLOW in reasons[2]
    assert "b/MatMul:MatMul" in reasons[2]


def test_a_gpu_without_tensor_cores_is_reason_enough():
    (reason,) = explain(summary_of(0.0, 10.0), "mixed_float16", "6.0", "Tesla P100-PCIE-16GB")
    assert "Tesla P100-PCIE-16GB" in reason
    assert "6.0" in reason


@pytest.mark.parametrize(("capability", "named"), [("7.5", True), ("8.0", False)])
def test_bfloat16_needs_ampere(capability, named):
    reasons = explain(summary_of(0.0, 10.0), "mixed_bfloat16", capability)
    assert any("bfloat16" in reason for reason in reasons) == named


def test_odd_sizes_name_layer_batch_and_the_articles_input():
    model = keras.Sequential(
        [
            keras.Input((110,)),
            keras.layers.Dense(1024, name="project"),
            keras.layers.BatchNormalization(),
            keras.layers.Dense(12, name="narrow"),
        ]
    )
    assert odd_sizes(layer_calls(model), batch_size=60) == [
        "batch size 60",
        "project (input width 110)",
        "narrow (output width 12)",
    ]


def test_multiples_of_eight_are_not_named():
    model = keras.Sequential([keras.Input((16, 16, 8)), keras.layers.Conv2D(32, 3)])
    assert odd_sizes(layer_calls(model), batch_size=64) == []
