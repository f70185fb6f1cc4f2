"""Why a profile shows little Tensor Core use: arithmetic on what was recorded, in plain words."""

from callbacks.tensor_cores import gpus

MULTIPLE = 8  # of sizes that float16 Tensor Core kernels want, as in NVIDIA's mixed precision guide
LOW_PERCENT = 50.0  # efficiency below which reasons are worth giving
SHOWN = 5  # layers or kernels named at most


def explain(summary, policy, compute_capability=None, device_name=None, odd_sizes=()):
    """Reasons for a low share of Tensor Core time, the most important first.

    Arguments:
        summary: a `callbacks.tensor_cores.summary.Summary`.
        policy: name of the Keras dtype policy.
        compute_capability: such as "7.5", or None.
        device_name: such as "Tesla T4", or None.
        odd_sizes: as `odd_sizes` returns them.

    Returns:
        A list of sentences; empty if the share is not low, or nothing that was recorded explains
        it.
    """
    capability = gpus.capability(compute_capability)
    if gpus.lacks_tensor_cores(capability, device_name):
        name = device_name or "this GPU"
        return [
            f"{name} has no Tensor Cores (compute capability {compute_capability}): they begin "
            "with 7.0, and mixed precision does not pay here"
        ]
    share = summary.efficiency_percent
    if share is None:
        share = summary.tensor_core_time_percent
    if share is None or share >= LOW_PERCENT:
        return []
    reasons = []
    if policy == "float32":
        reasons.append(
            "the policy is float32: train with mixed_float16, or from Ampere (8.0) on with "
            "mixed_bfloat16"
        )
    if policy == "mixed_bfloat16" and capability is not None and capability < (8, 0):
        reasons.append(
            f"compute capability {compute_capability} has no bfloat16 Tensor Cores: train with "
            "mixed_float16"
        )
    if odd_sizes:
        reasons.append(
            f"sizes that are not multiples of {MULTIPLE}: {_some(odd_sizes)}; other sizes may "
            "keep a layer from Tensor Cores or slow it"
        )
    fallen_back = [
        f"{row.name} for {row.op} ({row.share_percent:.1f} %)"
        for row in summary.rows
        if row.eligible and row.tensor_core == "no"
    ]
    if fallen_back:
        reasons.append(f"eligible ops ran on other kernels: {_some(fallen_back)}")
    return reasons


def odd_sizes(calls, batch_size):
    """Sizes that are not multiples of eight, as texts that name the layer.

    Arguments:
        calls: as `callbacks.flops.layer_calls` returns them.
        batch_size: examples per batch.
    """
    found = {} if batch_size % MULTIPLE == 0 else {f"batch size {batch_size}": None}
    for call in calls:
        if getattr(call.layer, "kernel", None) is None:
            continue
        sizes = {"input width": call.inputs[-1], "output width": call.outputs[-1]}
        odd = [f"{name} {size}" for name, size in sizes.items() if size % MULTIPLE]
        if odd:
            found[f"{call.layer.name} ({', '.join(odd)})"] = None
    return list(found)


def _some(texts):
    more = f" and {len(texts) - SHOWN} more" if len(texts) > SHOWN else ""
    return "; ".join(texts[:SHOWN]) + more
