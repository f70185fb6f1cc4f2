import os

import keras
import pytest
import tensorflow as tf

from callbacks import hardware


def test_the_device_of_this_machine_has_all_that_a_record_holds():
    found = hardware.detect()
    assert set(found) == {
        *("device", "gpu_name", "gpu_count", "compute_capability", "cpu_name", "cpu_features"),
        *("tensorflow", "keras", "driver", "cpu_count"),
    }
    assert found["cpu_count"] == len(os.sched_getaffinity(0))
    gpus = tf.config.list_physical_devices("GPU")
    assert found["device"] == ("GPU" if gpus else "CPU")
    assert found["gpu_count"] == (len(gpus) or None)
    assert (found["tensorflow"], found["keras"]) == (tf.__version__, keras.__version__)
    assert found["cpu_name"]
    assert set(found["cpu_features"]) <= set(hardware.CPU_FEATURES)
    if not gpus:
        assert [found[name] for name in ("gpu_name", "compute_capability", "driver")] == [None] * 3


@pytest.mark.parametrize(
    ("capability", "name", "expected"),
    [
        (None, None, False),
        ("3.7", "Tesla K80", False),
        ("6.0", "Tesla P100-PCIE-16GB", False),
        ("6.1", "NVIDIA GeForce GTX 1080 Ti", False),
        ("7.0", "Tesla V100-SXM2-16GB", True),
        ("7.5", "Tesla T4", True),
        ("7.5", "NVIDIA GeForce RTX 2060", True),
        ("7.5", "NVIDIA GeForce GTX 1650", False),
        ("7.5", "NVIDIA GeForce GTX 1660 Ti", False),
        ("8.0", "NVIDIA A100-SXM4-40GB", True),
        ("10.0", "NVIDIA B200", True),  # as text "10.0" is less than "7.0"
        ("12.0", None, True),
    ],
)
def test_which_gpus_have_tensor_cores(capability, name, expected):
    assert hardware.has_tensor_cores(capability, name) is expected
    device = {"compute_capability": capability, "gpu_name": name}
    assert hardware.has_fast_float16(device) is expected


# These are TU117 chips too: Turing without Tensor Cores, like those of the GTX 16 series.
@pytest.mark.parametrize("name", ["NVIDIA T1000 8GB", "Quadro T2000", "NVIDIA GeForce MX450"])
def test_small_turing_cards_have_no_tensor_cores(name):
    assert hardware.has_tensor_cores("7.5", name) is False


@pytest.mark.parametrize(
    ("device", "capability", "features", "expected"),
    [
        ("GPU", "7.5", [], False),
        ("GPU", "8.0", [], True),
        ("GPU", "10.0", [], True),
        ("GPU", None, ["avx512_bf16"], False),
        ("CPU", None, ["avx2", "avx512f"], False),
        ("CPU", None, ["avx512_bf16"], True),
        ("CPU", None, ["amx_bf16", "amx_tile"], True),
        ("CPU", None, ["avx512_fp16", "amx_fp16"], False),
    ],
)
def test_which_devices_multiply_bfloat16(device, capability, features, expected):
    found = {"device": device, "compute_capability": capability, "cpu_features": features}
    assert hardware.has_fast_bfloat16(found) is expected


PROCESSOR = """\
processor\t: {number}
model name\t: {name}
flags\t\t: fpu {flags} sse2
bogomips\t: 5000.00

"""


def test_the_processor_is_described_by_its_own_words(tmp_path):
    path = tmp_path / "cpuinfo"
    first = PROCESSOR.format(
        number=0, name="Some CPU @ 2.5GHz: fast", flags="avx512f avx2 avx512_bf16"
    )
    second = PROCESSOR.format(number=1, name="Another CPU", flags="amx_bf16")
    path.write_text(first + second)
    expected = ["avx2", "avx512_bf16", "avx512f"]
    assert hardware._cpu(path) == ("Some CPU @ 2.5GHz: fast", expected)


def test_a_processor_without_known_words_has_no_features_but_a_name(tmp_path):
    path = tmp_path / "cpuinfo"
    path.write_text("processor\t: 0\nFeatures\t: fp asimd\n")
    name, features = hardware._cpu(path)
    assert name
    assert features == []
    assert hardware._cpu(tmp_path / "missing") == (name, [])


@pytest.mark.parametrize(
    ("line", "version"),
    [
        (
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 2024",
            "550.54.15",
        ),
        (
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.10  Release Build  "
            "(dvs-builder@U16-I2-C06-14-3)  Tue Jan 14 20:16:56 UTC 2025",
            "570.86.10",
        ),
        ("NVRM version: unknown", None),
    ],
)
def test_the_driver_s_version_is_read(tmp_path, line, version):
    path = tmp_path / "version"
    path.write_text(line + "\nGCC version:  gcc version 12.3.0\n")
    assert hardware._driver(path) == version


def test_no_driver_is_no_version(tmp_path):
    assert hardware._driver(tmp_path / "version") is None
    (tmp_path / "version").touch()
    assert hardware._driver(tmp_path / "version") is None
