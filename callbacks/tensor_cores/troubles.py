"""What the profiler complains of, and how to mend it."""

import re
from typing import NamedTuple


class Trouble(NamedTuple):
    """A pattern in what the profiler says, what it means, the way out, where that is said."""

    pattern: str
    meaning: str
    way_out: str
    source: str


TROUBLES = (
    Trouble(
        r"(?i)insufficient privilege|CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
        "NVIDIA's driver lets only administrators profile",
        "run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0; in a "
        "container, add the capability SYS_ADMIN",
        "https://developer.nvidia.com/ERR_NVGPUCTRPERM",
    ),
    Trouble(
        r"(?i)libcupti",
        "CUPTI, CUDA's profiling library, was not found",
        "install the extra 'cuda', or put the folder of libcupti.so on LD_LIBRARY_PATH",
        "https://www.tensorflow.org/guide/profiler",
    ),
    Trouble(
        r"(?i)no gpu detected|no kernels",
        "the profiler saw no GPU kernels",
        "check with nvidia-smi that the GPU is free for this process",
        "https://www.tensorflow.org/guide/profiler",
    ),
    Trouble(
        r"(?i)another profiler|already|AlreadyExists",
        "another profiler is running in this process",
        "leave out the other one, such as profile_batch of Keras' TensorBoard callback",
        "https://www.tensorflow.org/api_docs/python/tf/profiler/experimental/start",
    ),
    Trouble(
        r"(?i)CUPTI_ERROR_MULTIPLE_SUBSCRIBERS|multiple subscribers",
        "another profiler, such as Nsight or DCGM, holds this GPU's counters",
        "stop it and train again",
        "https://docs.nvidia.com/cupti/",
    ),
    Trouble(
        r"(?i)drop|buffer",
        "the profiler lost some events, so that shares are of those it kept",
        "profile fewer steps",
        "https://www.tensorflow.org/guide/profiler",
    ),
    Trouble(
        r"(?i)is empty|0-byte",
        "the profile is empty, as one over 2 GB is",
        "profile fewer steps",
        "https://www.tensorflow.org/guide/profiler",
    ),
    Trouble(
        r"(?i)permission|no space|read-only|failedprecondition|not_?found",
        "the profile could not be written",
        "free space, or choose a folder that can be written",
        "https://www.tensorflow.org/guide/profiler",
    ),
)


def remedy(message):
    """One line on a complaint of the profiler: what it means and how to mend it, if that is known.

    Arguments:
        message: what the profiler, or the reading of its file, said.
    """
    text = " ".join(str(message).split())
    for trouble in TROUBLES:
        if re.search(trouble.pattern, text):
            return f"{trouble.meaning}: {trouble.way_out} [{text}]"
    return text
