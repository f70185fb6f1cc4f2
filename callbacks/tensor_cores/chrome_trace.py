"""Reads Chrome traces of GPUs: PyTorch's (Kineto), and TensorFlow's `trace.json.gz`."""

import json
import pathlib
from collections.abc import Callable, Iterator

from callbacks.tensor_cores.gpus import vendor_of
from callbacks.tensor_cores.kernel import Device, Kernel
from callbacks.tensor_cores.profile_file import ProfileError, load

CPU_OPS = ("cpu_op", "operator")


def read(path: str | pathlib.Path, note: Callable[[str], None]) -> Iterator[Kernel]:
    """Yields the kernels of a trace, each with the PyTorch op that shares its "External id".

    The trace may be an object with "traceEvents" or a plain list of events. Events are dropped
    while the parser goes, so that memory holds the text and the kernels only.

    Raises ProfileError if the file is cut off or holds other JSON.
    """
    events = _Events()
    text = load(path).decode("utf-8-sig", "replace")
    try:
        trace = json.loads(text, object_hook=events.take, strict=False)
    except (json.JSONDecodeError, RecursionError) as error:
        where = f" at character {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        raise ProfileError(
            path, f"is cut off or is not JSON{where}; copy it again or record it again"
        ) from None
    if not events.count and not (isinstance(trace, dict) and "traceEvents" in trace):
        raise ProfileError(path, "holds JSON, but no trace events; give a Chrome trace")
    properties = trace.get("deviceProperties") if isinstance(trace, dict) else None
    devices = {
        entry.get("id"): _device(entry) for entry in properties or () if isinstance(entry, dict)
    }
    for name, op, external_id, device_id, duration_us in events.kernels:
        op = op or events.op_names.get(external_id, "")
        yield Kernel(name, op, duration_us, 1, devices.get(device_id, Device()))


class _Events:
    """Takes what is needed out of each JSON object as soon as it is parsed."""

    def __init__(self):
        self.count = 0
        self.kernels = []
        self.op_names = {}

    def take(self, parsed: dict) -> dict | None:
        if "ph" not in parsed:
            return parsed
        self.count += 1
        arguments = parsed.get("args")
        arguments = arguments if isinstance(arguments, dict) else {}
        category = str(parsed.get("cat", "")).lower()
        external_id = arguments.get("External id", arguments.get("external id"))
        if category == "kernel" or "kernel_details" in arguments:
            duration_us = parsed.get("dur")
            if isinstance(duration_us, int | float):
                op = str(arguments.get("tf_op", ""))
                device_id = arguments.get("device")
                name = str(parsed.get("name", ""))
                self.kernels.append((name, op, external_id, device_id, duration_us))
        elif category in CPU_OPS and external_id is not None:
            self.op_names[external_id] = str(parsed.get("name", ""))
        return None


def _device(properties: dict) -> Device:
    name, major = properties.get("name"), properties.get("computeMajor")
    capability = None if major is None else f"{major}.{properties.get('computeMinor', 0)}"
    return Device(name, capability, vendor_of(name))
