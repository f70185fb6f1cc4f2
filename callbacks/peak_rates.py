"""Peak arithmetic rates of GPUs, from their data sheets."""

import csv
import re
from pathlib import Path

PACKAGED = Path(__file__).with_name("peak_rates.csv")

# Words that some drivers put before a GPU's name and others do not: "Tesla T4", "NVIDIA T4".
_BRANDS = {"NVIDIA", "TESLA", "GEFORCE"}

_COMPUTE_TYPES = {
    "float32": "float32",
    "float16": "float16",
    "mixed_float16": "float16",
    "bfloat16": "bfloat16",
    "mixed_bfloat16": "bfloat16",
}


def name_words(gpu_name):
    """The words of a GPU's name that tell it from others, whatever their order and spelling.

    Case, hyphens and the brand do not count; every other word does, so that memory sizes, forms
    (SXM, PCIe), laptop chips and slices of a GPU stay apart.

    Example:
        name_words("Tesla T4") == name_words("NVIDIA T4")
        name_words("NVIDIA A100-SXM4-40GB") != name_words("NVIDIA A100-SXM4-80GB")
    """
    return frozenset(re.split(r"[\s_-]+", gpu_name.strip().upper())) - _BRANDS


def peak_tflops(gpu_name, policy, tf32=True):
    """The dense peak TFLOP/s that a GPU's data sheet gives for the policy used.

    "Dense" leaves out the doubled rates for matrices with structured zeros. For float16 and
    bfloat16 it is the rate of the Tensor Cores with sums in float32.

    Arguments:
        gpu_name: as the GPU reports itself, such as "Tesla T4"; None without a GPU.
        policy: a Keras dtype policy's name: "float32", "mixed_float16", "mixed_bfloat16",
            "float16" or "bfloat16".
        tf32: whether float32 products may use TF32 on Tensor Cores, as TensorFlow does by default
            from Ampere on; `tf.config.experimental.tensor_float_32_execution_enabled()` tells.
            The float32 peak is then the TF32 rate where the GPU has one.

    Returns:
        TFLOP/s of one GPU, or None: no GPU, one that is not in the table, another policy, or no
        Tensor Cores for that type (float16 on a P100, bfloat16 before Ampere).

    Source: peak_rates.csv names one for each row.
    """
    compute_type = _COMPUTE_TYPES.get(policy)
    if gpu_name is None or compute_type is None:
        return None
    with PACKAGED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    words = name_words(gpu_name)
    row = next((row for row in rows if name_words(row["gpu"]) == words), None)
    if row is None:
        return None
    rate = row[compute_type]
    if compute_type == "float32" and tf32:
        rate = row["tf32"] or rate
    return float(rate) if rate else None
