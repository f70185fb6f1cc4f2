import pytest

from acgan.reporting.grouping import Cell
from acgan.reporting.reasons import why_no_gain

PROFILE = {
    "tensor_cores.kernel_time_percent": 45.0,
    "tensor_cores.cast_time_percent": 3.0,
    "tensor_cores.kernel_ms_per_step": 90.0,
    "tensor_cores.reason": None,
    "step_ms": 100.0,
}
GTX = {"gpu_name": "NVIDIA GeForce GTX 1650", "compute_capability": "7.5"}
OLD_CPU = {"device": "CPU", "cpu_features": ["avx2"]}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"device": "P100", **PROFILE}, "no Tensor Cores (compute capability 6.0)"),
        (GTX, "no Tensor Cores (NVIDIA GeForce GTX 1650)"),
        (
            {"device": "T4", "policy": "mixed_bfloat16"},
            "no bfloat16 on its Tensor Cores (compute capability 7.5, it begins with 8.0)",
        ),
        (
            {**OLD_CPU, "policy": "mixed_bfloat16"},
            "no bfloat16 instructions were found in the CPU (AVX512_BF16 or AMX)",
        ),
        ({"device": "CPU"}, "TensorFlow has no fast float16 kernels for CPUs"),
        (
            {"device": "CPU", "policy": "mixed_bfloat16"},
            "the reason was not measured (kernels are told apart on GPUs alone)",
        ),
        (
            {**PROFILE, "tensor_cores.kernel_ms_per_step": 32.0},
            "input or launch bound: the GPU's kernels fill 32 % of a step",
        ),
        (
            {**PROFILE, "tensor_cores.cast_time_percent": 12.0},
            "casts between dtypes take 12 % of the kernels' time",
        ),
        (
            {**PROFILE, "tensor_cores.kernel_time_percent": 4.0},
            "Tensor Cores took 4 % of the kernels' time",
        ),
        (
            {"device": "A100", **PROFILE},
            "float32 runs on Tensor Cores, too (TF32), which leaves little to gain",
        ),
        (
            {"device": "A100", "resolved.tensor_float_32": False, **PROFILE},
            "Tensor Cores took 45 % of the kernels' time, casts 3 %, but the step is not shorter",
        ),
        (
            PROFILE,
            "Tensor Cores took 45 % of the kernels' time, casts 3 %, but the step is not shorter",
        ),
        (
            {**PROFILE, "tensor_cores.cast_time_percent": None},
            "Tensor Cores took 45 % of the kernels' time, but the step is not shorter",
        ),
        ({"tensor_cores.reason": "--noprofile"}, "the reason was not measured (--noprofile)"),
        ({"tensor_cores.reason": None}, "the reason was not measured (no profile)"),
        (
            {
                "gpu_name": "AMD Instinct MI250X",
                "compute_capability": None,
                "tensor_cores.reason": "the GPU is not NVIDIA's",
                "policy": "mixed_bfloat16",
            },
            "the reason was not measured (the GPU is not NVIDIA's)",
        ),
    ],
)
def test_the_first_reason_that_applies(make_result, changes, reason):
    result = make_result(**{"policy": "mixed_float16", **changes})
    assert why_no_gain(Cell(result.policy, result.batch_size, (result,))) == reason


def test_a_profiles_figures_are_means_over_the_repeats(make_result):
    casts = (6.0, 16.0)
    results = [
        make_result(
            policy="mixed_float16", **{**PROFILE, "tensor_cores.cast_time_percent": percent}
        )
        for percent in casts
    ]
    assert "11 %" in why_no_gain(Cell("mixed_float16", 64, tuple(results)))  # (6 + 16) / 2


def test_a_failed_run_does_not_say_why(make_result):
    failed = make_result(status="failed", **{"tensor_cores.reason": "not measured yet"})
    cell = Cell("mixed_float16", 64, (failed, make_result()))
    assert why_no_gain(cell) == "the reason was not measured (--noprofile)"
