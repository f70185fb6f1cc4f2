import pytest

from callbacks.tensor_cores.kernel import Device, Kernel
from callbacks.tensor_cores.summary import summarize

V100 = Device("Tesla V100", "7.0", "Nvidia")
P100 = Device("Tesla P100", "6.0", "Nvidia")
MI300 = Device("AMD Instinct MI300X", "9.4", "AMD")
TENSOR_CORE = "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn"


def test_shares_of_a_training_step():
    summary = summarize(
        [
            Kernel(TENSOR_CORE, "a/MatMul:MatMul", 20.0, 1, V100),
            Kernel(TENSOR_CORE, "a/MatMul:MatMul", 10.0, 2, V100),
            Kernel("volta_sgemm_128x64_nn", "b/MatMul:MatMul", 30.0, 1, V100),
            Kernel("gemm_fusion_dot_3", "c/MatMul:MatMul", 4.0, 1, V100),
            Kernel("EigenMetaKernel", "d/Relu:Relu", 24.0, 3, V100),
            Kernel("EigenMetaKernel", "e/Cast:Cast", 12.0, 3, V100),
        ]
    )
    assert summary.total_us == 20.0 + 10.0 + 30.0 + 4.0 + 24.0 + 12.0
    assert summary.launches == 1 + 2 + 1 + 1 + 3 + 3
    assert summary.tensor_core_time_percent == pytest.approx(100 * (20 + 10) / 100)
    assert summary.eligible_time_percent == pytest.approx(100 * (20 + 10 + 30 + 4) / 100)
    assert summary.efficiency_percent == pytest.approx(100 * (20 + 10) / (20 + 10 + 30 + 4))
    assert summary.unknown_time_percent == pytest.approx(100 * 4 / 100)
    assert summary.cast_time_percent == pytest.approx(100 * 12 / 100)
    assert summary.reason is None
    assert (summary.device, summary.compute_capability) == ("Tesla V100", "7.0")
    assert [row.total_us for row in summary.rows] == [20.0 + 10.0, 30.0, 24.0, 12.0, 4.0]
    assert [row.launches for row in summary.rows] == [1 + 2, 1, 3, 3, 1]


def test_each_gpu_is_judged_on_its_own():
    summary = summarize(
        [Kernel(TENSOR_CORE, "", 10.0, 1, V100), Kernel(TENSOR_CORE, "", 30.0, 1, P100)]
    )
    assert [row.tensor_core for row in summary.rows] == ["no", "yes"]
    assert summary.tensor_core_time_percent == pytest.approx(100 * 10 / (10 + 30))
    assert (summary.device, summary.compute_capability) == ("Tesla V100, Tesla P100", "7.0, 6.0")


def test_a_product_fused_under_another_op_is_eligible():
    summary = summarize(
        [Kernel(TENSOR_CORE, "a/BiasAdd:BiasAdd", 10.0), Kernel("copy", "b/Relu:Relu", 10.0)]
    )
    assert summary.eligible_time_percent == pytest.approx(100 * 10 / (10 + 10))
    assert summary.efficiency_percent == pytest.approx(100 * 10 / 10)


def test_without_ops_eligibility_is_none_with_a_reason():
    summary = summarize([Kernel(TENSOR_CORE, "", 10.0)])
    assert summary.tensor_core_time_percent == 100.0
    assert summary.eligible_time_percent is None
    assert summary.efficiency_percent is None
    assert "no ops" in summary.reason


def test_without_an_eligible_op_efficiency_alone_is_none():
    summary = summarize([Kernel("copy", "a/Relu:Relu", 10.0)])
    assert summary.eligible_time_percent == 0.0
    assert summary.efficiency_percent is None
    assert "no op is eligible" in summary.reason


@pytest.mark.parametrize(
    "kernel",
    [
        Kernel("gemm_fusion_dot", "a/MatMul:MatMul", 10.0, 1, MI300),
        Kernel("gemm_fusion_dot.kd", "a/MatMul:MatMul", 10.0),
        Kernel("copy", "", 10.0, 1, Device(vendor="AMD")),
    ],
)
def test_another_vendors_gpu_has_no_shares(kernel):
    summary = summarize([kernel, kernel._replace(name="Cijk_Ailk_Bljk_HHS")])
    assert summary.total_us == 10.0 + 10.0
    assert summary.tensor_core_time_percent is None
    assert summary.eligible_time_percent is None
    assert summary.unknown_time_percent is None
    assert "not NVIDIA's" in summary.reason
    assert {row.tensor_core for row in summary.rows} == {"unknown"}


def test_no_kernels_is_none_with_a_reason():
    summary = summarize([])
    assert summary.total_us == 0
    assert summary.tensor_core_time_percent is None
    assert summary.reason == "the profile holds no GPU kernels"
