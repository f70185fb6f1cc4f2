"""From kernels to shares: pure arithmetic, no files."""

import dataclasses
from collections.abc import Iterable

from callbacks.tensor_cores import gpus
from callbacks.tensor_cores.classifier import Verdict, classify, is_amd_kernel
from callbacks.tensor_cores.eligibility import is_eligible, op_type
from callbacks.tensor_cores.kernel import Device, Kernel

PERCENT = 100.0
# Types of ops that change the dtype alone: TensorFlow's, JAX's and XLA's, PyTorch's.
CASTS = {"Cast", "convert_element_type", "convert", "aten::_to_copy", "aten::to"}


@dataclasses.dataclass(frozen=True)
class Row:
    """All launches of one kernel for one op.

    Attributes:
        name: The kernel's name as recorded.
        op: The framework's op, "" if the profile does not tell.
        launches: How often it ran.
        total_us: Its time on the GPU, in microseconds.
        share_percent: Of the profile's kernel time.
        tensor_core: "yes", "no" or "unknown".
        eligible: Whether the op could run on Tensor Cores; None if not known.
    """

    name: str
    op: str
    launches: int
    total_us: float
    share_percent: float
    tensor_core: Verdict
    eligible: bool | None


@dataclasses.dataclass(frozen=True)
class Summary:
    """What a profile says about Tensor Cores. A share that was not measured is None, never 0.

    Kernel time is the time of kernels alone, without memory copies and sets, added up over GPUs.

    Attributes:
        device: The GPUs that ran kernels, as recorded, joined by ", ".
        compute_capability: Theirs, joined likewise.
        launches: Of all kernels.
        total_us: Kernel time in microseconds.
        tensor_core_time_percent: Of the kernel time, that of kernels known to use Tensor Cores.
        eligible_time_percent: Of the kernel time, that of ops known to be matrix products.
        efficiency_percent: Of the eligible ops' time, that on Tensor Cores (as in NVIDIA's DLProf,
            https://docs.nvidia.com/deeplearning/frameworks/dlprof-user-guide/).
        unknown_time_percent: Of the kernel time, that of kernels whose names do not tell.
        cast_time_percent: Of the kernel time, that of ops that only change the dtype, without casts
            that a compiler fused into other kernels; None if ops are not known.
        reason: Why shares are None; None if all are there.
        rows: Most time first.
    """

    device: str | None
    compute_capability: str | None
    launches: int
    total_us: float
    tensor_core_time_percent: float | None
    eligible_time_percent: float | None
    efficiency_percent: float | None
    unknown_time_percent: float | None
    cast_time_percent: float | None
    reason: str | None
    rows: tuple[Row, ...]


def summarize(kernels: Iterable[Kernel]) -> Summary:
    """Classifies kernels and adds up their times.

    A kernel counts as eligible if its op is a matrix product, or if it runs on Tensor Cores: a
    compiler may name a fused product after its last op. On another vendor's GPU every kernel is
    unknown and no share is given.

    >>> summary = summarize([Kernel("volta_sgemm_128x64_nn", "a/MatMul:MatMul", 30.0),
    ...                      Kernel("volta_s884gemm_fp16_128x64_nn", "b/MatMul:MatMul", 10.0)])
    >>> summary.tensor_core_time_percent, summary.eligible_time_percent
    (25.0, 100.0)
    """
    totals = {}
    for name, op, total_us, launches, device in kernels:
        total = totals.setdefault((name, op, device), [0.0, 0])
        total[0] += total_us
        total[1] += launches
    devices = list(dict.fromkeys(device for _, _, device in totals))
    is_nvidia = _is_nvidia(devices, (name for name, _, _ in totals))
    rows = _rows(totals, is_nvidia)
    total_us = sum(row.total_us for row in rows)
    shares, reason = _shares(rows, total_us, is_nvidia)
    return Summary(
        device=", ".join(dict.fromkeys(device.name for device in devices if device.name)) or None,
        compute_capability=", ".join(
            dict.fromkeys(
                device.compute_capability for device in devices if device.compute_capability
            )
        )
        or None,
        launches=sum(row.launches for row in rows),
        total_us=total_us,
        **shares,
        reason=reason,
        rows=rows,
    )


def _is_nvidia(devices: list[Device], names: Iterable[str]) -> bool:
    return all(gpus.is_nvidia(device.vendor, device.name) for device in devices) and not any(
        is_amd_kernel(name) for name in names
    )


def _rows(totals: dict, is_nvidia: bool) -> tuple[Row, ...]:
    merged = {}
    total_us = sum(time_us for time_us, _ in totals.values())
    for (name, op, device), (time_us, launches) in totals.items():
        kind = op_type(op)
        verdict = "unknown"
        if is_nvidia:
            verdict = classify(
                name, device.compute_capability, device.name, device.vendor, op_type=kind
            )
        eligible = True if verdict == "yes" else is_eligible(kind)
        sums = merged.setdefault((name, op, verdict, eligible), [0.0, 0])
        sums[0] += time_us
        sums[1] += launches
    rows = (
        Row(name, op, launches, time_us, _percent(time_us, total_us) or 0.0, verdict, eligible)
        for (name, op, verdict, eligible), (time_us, launches) in merged.items()
    )
    return tuple(sorted(rows, key=lambda row: (-row.total_us, row.name, row.op)))


def _shares(rows: tuple[Row, ...], total_us: float, is_nvidia: bool) -> tuple[dict, str | None]:
    def time_us(condition) -> float:
        return sum(row.total_us for row in rows if condition(row))

    shares = dict.fromkeys(
        (
            "tensor_core_time_percent",
            "eligible_time_percent",
            "efficiency_percent",
            "unknown_time_percent",
            "cast_time_percent",
        )
    )
    if not total_us:
        return shares, "the profile holds no GPU kernels"
    if not is_nvidia:
        return shares, "the GPU is not NVIDIA's: it has no Tensor Cores to measure"
    tensor_core_us = time_us(lambda row: row.tensor_core == "yes")
    shares["tensor_core_time_percent"] = _percent(tensor_core_us, total_us)
    shares["unknown_time_percent"] = _percent(
        time_us(lambda row: row.tensor_core == "unknown"), total_us
    )
    if not any(is_eligible(op_type(row.op)) is not None for row in rows):
        return shares, "the profile names no ops, so it is not known which are eligible"
    shares["cast_time_percent"] = _percent(time_us(lambda row: op_type(row.op) in CASTS), total_us)
    eligible_us = time_us(lambda row: row.eligible)
    shares["eligible_time_percent"] = _percent(eligible_us, total_us)
    shares["efficiency_percent"] = _percent(tensor_core_us, eligible_us)
    return shares, None if eligible_us else "no op is eligible, so there is no efficiency"


def _percent(part: float, whole: float) -> float | None:
    return PERCENT * part / whole if whole else None
