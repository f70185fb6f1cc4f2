"""What every profile reader yields: kernels, and the GPU they ran on."""

from typing import NamedTuple


class Device(NamedTuple):
    """A GPU as far as the profile describes it; None is what it leaves out.

    Attributes:
        name: As recorded, for example "NVIDIA A100-SXM4-40GB".
        compute_capability: For example "8.0".
        vendor: As recorded, for example "Nvidia" or "AMD".
    """

    name: str | None = None
    compute_capability: str | None = None
    vendor: str | None = None


class Kernel(NamedTuple):
    """Launches of one kernel for one op, as many as the reader has already added up.

    Attributes:
        name: The kernel's name as recorded.
        op: The framework's op that launched it, "" if the profile does not tell.
        total_us: Time on the GPU of all these launches, in microseconds.
        launches: How many launches that were.
        device: The GPU they ran on.
    """

    name: str
    op: str
    total_us: float
    launches: int = 1
    device: Device = Device()
