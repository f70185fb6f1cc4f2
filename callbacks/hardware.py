"""What device this process trains on."""

import os
import platform
from pathlib import Path

from callbacks.tensor_cores import gpus

# Instruction sets that decide how fast a CPU is in each precision, as /proc/cpuinfo spells them.
CPU_FEATURES = (
    "avx2",
    "avx512f",
    "avx512_bf16",
    "avx512_fp16",
    "amx_bf16",
    "amx_fp16",
    "amx_tile",
)
CPU_BFLOAT16_FEATURES = {"avx512_bf16", "amx_bf16"}


def detect():
    """Describes the device that TensorFlow trains on; imports TensorFlow.

    Returns:
        A dictionary: `device` "GPU" or "CPU"; `gpu_name`, `gpu_count`, `compute_capability` (such
        as "7.5") and `driver`, each None without a GPU or where unknown; `cpu_name`; `cpu_count`,
        those that this process may use; `cpu_features`, a sorted list out of `CPU_FEATURES`;
        `tensorflow` and `keras`, versions.
    """
    import keras
    import tensorflow as tf

    devices = tf.config.list_physical_devices("GPU")
    details = tf.config.experimental.get_device_details(devices[0]) if devices else {}
    capability = details.get("compute_capability")
    cpu_name, cpu_features = _cpu()
    return {
        "device": "GPU" if devices else "CPU",
        "gpu_name": details.get("device_name"),
        "gpu_count": len(devices) if devices else None,
        "compute_capability": ".".join(map(str, capability)) if capability else None,
        "cpu_name": cpu_name,
        "cpu_count": _cpu_count(),
        "cpu_features": cpu_features,
        "tensorflow": tf.__version__,
        "keras": keras.__version__,
        "driver": _driver() if devices else None,
    }


def has_tensor_cores(compute_capability, gpu_name=None):
    """Whether an NVIDIA GPU has Tensor Cores.

    Arguments:
        compute_capability: such as "7.5", or None (no NVIDIA GPU, or unknown).
        gpu_name: such as "Tesla T4". The GTX 16 series reports 7.5 and has none.
    """
    capability = gpus.capability(compute_capability)
    return capability is not None and not gpus.lacks_tensor_cores(capability, gpu_name)


def has_fast_float16(hardware):
    """Whether the device of `detect` trains faster in float16 than in float32.

    No CPU does: with TensorFlow 2.21 even one with AVX512_FP16 was about ten times slower.
    """
    return has_tensor_cores(hardware["compute_capability"], hardware["gpu_name"])


def has_fast_bfloat16(hardware):
    """Whether the device of `detect` multiplies bfloat16 matrices in hardware."""
    if hardware["device"] == "GPU":  # Tensor Cores take bfloat16 from Ampere (8.0) on
        return (gpus.capability(hardware["compute_capability"]) or (0, 0)) >= (8, 0)
    return bool(CPU_BFLOAT16_FEATURES.intersection(hardware["cpu_features"]))


def _cpu_count():
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()  # not Linux


def _cpu(cpuinfo="/proc/cpuinfo"):
    try:
        text = Path(cpuinfo).read_text()
    except OSError:  # not Linux
        return platform.processor() or platform.machine(), []
    fields = {}
    for line in text.splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    flags = (fields.get("flags") or fields.get("Features") or "").split()
    name = fields.get("model name") or platform.processor() or platform.machine()
    return name, sorted(set(flags).intersection(CPU_FEATURES))


def _driver(path="/proc/driver/nvidia/version"):
    """The NVIDIA kernel module's version, such as "550.54.15"; None where there is none."""
    try:
        words = Path(path).read_text().splitlines()[0].split()
    except (OSError, IndexError):
        return None
    return next((word for word in words if word[0].isdigit() and "." in word), None)
