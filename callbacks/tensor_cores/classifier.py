"""Whether a kernel runs on Tensor Cores, by what the GPU is and what the kernel is called."""

import functools
import re
from typing import Literal

from callbacks.tensor_cores import gpus, rules
from callbacks.tensor_cores.eligibility import is_eligible
from callbacks.tensor_cores.kernel_name import own_name

Verdict = Literal["yes", "no", "unknown"]

_RULES = tuple((re.compile(rule.pattern), rule) for rule in rules.RULES)
_MATRIX_WORDS = re.compile(rules.MATRIX_WORDS)
_NOT_MATRIX_WORDS = re.compile(rules.NOT_MATRIX_WORDS)
_NAMELESS = re.compile(rules.NAMELESS)
_AMD_NAMES = re.compile(rules.AMD_NAMES)


def classify(
    name: str,
    compute_capability: gpus.CapabilityLike | None = None,
    device_name: str | None = None,
    vendor: str | None = None,
    op_type: str | None = None,
) -> Verdict:
    """Returns "yes", "no" or "unknown": does this kernel run on NVIDIA's Tensor Cores?

    The GPU settles it first: another vendor's has none of NVIDIA's units ("unknown"), and one below
    compute capability 7.0 or of the GTX 16 series has none at all ("no"). Then the first matching
    row of `rules.RULES` decides. A name that no row knows is "no" if nothing in it speaks of a
    matrix product, and "unknown" if something does. XLA's and cuDNN's generated products, whose
    names leave out the dtype, are "unknown": a guess would not be a measure.

    Arguments:
        name: The kernel's name as recorded, mangled or not.
        compute_capability: "7.0", 7.0 or (7, 0). None if not known, which is taken for a GPU with
            Tensor Cores.
        device_name: For example "Tesla T4"; finds GPUs without Tensor Cores and other vendors.
        vendor: For example "Nvidia" or "AMD". None is taken for NVIDIA.
        op_type: The type of the framework's op, for example "Conv2D". It decides only about
            kernels whose name is a mere placeholder, such as `kernel` or `_fwd_kernel`.

    Raises:
        ValueError: The compute capability is not one.

    >>> classify("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", compute_capability="7.0")
    'yes'
    >>> classify("volta_sgemm_128x64_nn", compute_capability="7.0")
    'no'
    """
    if not gpus.is_nvidia(vendor, device_name) or is_amd_kernel(name):
        return "unknown"
    capability = gpus.capability(compute_capability)
    if gpus.lacks_tensor_cores(capability, device_name):
        return "no"
    verdict, needs = _by_name(name)
    if verdict == "unnamed":
        return "no" if is_eligible(op_type) is False else "unknown"
    if verdict == "yes" and capability is not None and capability < needs:
        return "no"
    return verdict


def is_amd_kernel(name: str) -> bool:
    """Returns True for names that only the compilers of AMD's GPUs give to kernels."""
    return bool(_AMD_NAMES.search(name))


@functools.lru_cache(maxsize=65536)
def _by_name(name: str) -> tuple[str, tuple[int, int]]:
    own = own_name(name)
    for pattern, rule in _RULES:
        if pattern.search(own if rule.scope == "own" else name):
            return rule.verdict, rule.needs
    if _NAMELESS.search(own):
        return "unnamed", gpus.FIRST_WITH_TENSOR_CORES
    found = _MATRIX_WORDS.search(_NOT_MATRIX_WORDS.sub("", own))
    return "unknown" if found else "no", gpus.FIRST_WITH_TENSOR_CORES
