"""Why reduced precision does not pay, from what the runs recorded."""

from acgan.reporting.amounts import percent_text
from callbacks.hardware import has_fast_bfloat16, has_tensor_cores
from callbacks.tensor_cores import gpus

KERNELS_FILL_PERCENT = 50.0  # of a step; below, what runs beside the kernels decides
CASTS_PERCENT = 10.0  # of the kernels' time, from which on casts cost what Tensor Cores gain
TENSOR_CORES_PERCENT = 10.0  # of the kernels' time; below, they can't have shortened it by much


def why_no_gain(cell):
    """The first reason that applies, one plain line without a full stop.

    Arguments:
        cell: the `acgan.reporting.grouping.Cell` of a policy that takes no less time than float32;
            at least one of its repeats counts.
    """
    return next(line for rule in _RULES if (line := rule(cell, cell.counted[0])))


def _no_tensor_cores(cell, result):
    capability = result.compute_capability
    if not result.on_gpu or capability is None or has_tensor_cores(capability, result.gpu_name):
        return None
    if gpus.capability(capability) >= gpus.FIRST_WITH_TENSOR_CORES:  # such as a GTX 1650
        return f"no Tensor Cores ({result.gpu_name})"
    return f"no Tensor Cores (compute capability {capability})"


def _no_bfloat16(cell, result):
    hardware = {
        "device": "GPU" if result.on_gpu else "CPU",
        "compute_capability": result.compute_capability,
        "cpu_features": result.cpu_features,
    }
    if cell.policy != "mixed_bfloat16" or has_fast_bfloat16(hardware):
        return None
    if result.on_gpu and result.compute_capability is None:
        return None
    if result.on_gpu:
        return (
            f"no bfloat16 on its Tensor Cores (compute capability {result.compute_capability}, "
            "it begins with 8.0)"
        )
    return "no bfloat16 instructions were found in the CPU (AVX512_BF16 or AMX)"


def _float16_on_a_cpu(cell, result):
    if cell.policy != "mixed_float16" or result.on_gpu:
        return None
    off = " (oneDNN's, which are slower still, were off)" if result.onednn is False else ""
    return f"TensorFlow has no fast float16 kernels for CPUs{off}"


def _kernels_wait(cell, result):
    step, kernels = cell.figure("step_ms"), cell.figure("kernel_ms_per_step")
    if step is None or kernels is None:
        return None
    filled = 100 * kernels.mean / step.mean
    if filled >= KERNELS_FILL_PERCENT:
        return None
    return f"input or launch bound: the GPU's kernels fill {percent_text(filled)} of a step"


def _casts(cell, result):
    casts = cell.figure("cast_time_percent")
    if casts is None or casts.mean < CASTS_PERCENT:
        return None
    return f"casts between dtypes take {percent_text(casts.mean)} of the kernels' time"


def _few_tensor_cores(cell, result):
    share = cell.figure("kernel_time_percent")
    if share is None or share.mean >= TENSOR_CORES_PERCENT:
        return None
    return f"Tensor Cores took {percent_text(share.mean)} of the kernels' time"


def _tf32(cell, result):
    hardware = {"device": "GPU", "compute_capability": result.compute_capability}
    if not (result.on_gpu and result.tensor_float_32 and has_fast_bfloat16(hardware)):
        return None
    return "float32 runs on Tensor Cores, too (TF32), which leaves little to gain"


def _bfloat16_on_a_cpu(cell, result):
    if result.on_gpu:
        return None
    return "the reason was not measured (kernels are told apart on GPUs alone)"


def _measured(cell, result):
    share = cell.figure("kernel_time_percent")
    if share is None:
        return f"the reason was not measured ({result.tensor_cores_reason or 'no profile'})"
    casts = cell.figure("cast_time_percent")
    casting = f", casts {percent_text(casts.mean)}" if casts else ""
    return (
        f"Tensor Cores took {percent_text(share.mean)} of the kernels' time{casting}, but the step "
        "is not shorter"
    )


# The hardware first, then what a profile shows, then what is left; the last always applies.
_RULES = (
    _no_tensor_cores,
    _no_bfloat16,
    _float16_on_a_cpu,
    _kernels_wait,
    _casts,
    _few_tensor_cores,
    _tf32,
    _bfloat16_on_a_cpu,
    _measured,
)
