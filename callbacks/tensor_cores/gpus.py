"""Whether a GPU has Tensor Cores at all, which settles a kernel before its name is read."""

import re

CapabilityLike = str | float | tuple[int, int]

# Compute capability 7.0 is Volta, the first generation with Tensor Cores:
# https://docs.nvidia.com/cuda/cuda-c-programming-guide/#compute-capabilities
FIRST_WITH_TENSOR_CORES = (7, 0)

# NVIDIA GPUs without Tensor Cores, by name. The TU116 and TU117 chips report compute capability 7.5
# like their siblings and have none: https://en.wikipedia.org/wiki/Turing_(microarchitecture)
WITHOUT_TENSOR_CORES = re.compile(
    r"GTX|\bMX[1-5]\d\d\b|\bT(400|500|550|600|1000|1200)\b|Quadro [KMP]\d|Quadro T[12]\d\d\d"
    r"|Tesla [CKMP]\d|\b[KMP](4|6|10|20|40|60|80|100)\b|TITAN X|GT \d"
)
OTHER_VENDORS = (
    ("AMD", re.compile(r"\bAMD\b|Instinct|Radeon|\bgfx\d|\bMI\d{2,3}", re.IGNORECASE)),
    ("Intel", re.compile(r"\bIntel\b|Data Center GPU Max", re.IGNORECASE)),
    ("Apple", re.compile(r"\bApple\b")),
)


def capability(value: CapabilityLike | None) -> tuple[int, int] | None:
    """Returns a compute capability as (major, minor), or None if it is not known.

    Accepts "8.6", 8.6 and (8, 6). Raises ValueError for anything else.
    """
    if value is None:
        return None
    if isinstance(value, tuple) and len(value) == 2:
        return int(value[0]), int(value[1])
    match = re.fullmatch(r"(\d+)(?:\.(\d+))?", str(value))
    if not match:
        raise ValueError(
            f"compute_capability is {value!r}; give a string such as '8.6', a number or a pair"
        )
    return int(match[1]), int(match[2] or 0)


def vendor_of(device_name: str | None) -> str | None:
    """Returns "AMD", "Intel" or "Apple" if the device's name says so, otherwise None."""
    for vendor, pattern in OTHER_VENDORS:
        if device_name and pattern.search(device_name):
            return vendor
    return None


def is_nvidia(vendor: str | None, device_name: str | None) -> bool:
    """Returns False if the vendor, or failing that the device's name, is not NVIDIA's."""
    vendor = vendor or vendor_of(device_name)
    return vendor is None or "nvidia" in vendor.lower()


def lacks_tensor_cores(compute_capability: tuple[int, int] | None, device_name: str | None) -> bool:
    """Returns True if this NVIDIA GPU is known to have no Tensor Cores."""
    if compute_capability is not None and compute_capability < FIRST_WITH_TENSOR_CORES:
        return True
    return bool(device_name and WITHOUT_TENSOR_CORES.search(device_name))
