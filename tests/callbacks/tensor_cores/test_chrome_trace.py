import gzip
import json

import pytest

from callbacks.tensor_cores import chrome_trace
from callbacks.tensor_cores.kernel import Device, Kernel
from callbacks.tensor_cores.profile_file import ProfileError

EVENTS = [
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 1, "dur": 9, "args": {"External id": 7}},
    {
        "ph": "X",
        "cat": "kernel",
        "name": "volta_sgemm_128x64_nn",
        "dur": 2.5,
        "args": {"External id": 7, "device": 0},
    },
    {"ph": "X", "cat": "Kernel", "name": "copy", "dur": 4, "args": {"external id": 8, "device": 1}},
    {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "dur": 5, "args": {"External id": 7}},
    {"ph": "M", "name": "process_name", "args": {"name": "python"}},
]
GPUS = [{"id": 0, "name": "Tesla V100", "computeMajor": 7, "computeMinor": 0}]


def read(path):
    return list(chrome_trace.read(path, pytest.fail))


def test_kernels_get_their_op_and_device(tmp_path):
    path = tmp_path / "a.pt.trace.json.gz"
    path.write_bytes(
        gzip.compress(json.dumps({"deviceProperties": GPUS, "traceEvents": EVENTS}).encode())
    )
    assert read(path) == [
        Kernel("volta_sgemm_128x64_nn", "aten::mm", 2.5, 1, Device("Tesla V100", "7.0")),
        Kernel("copy", "", 4, 1, Device()),
    ]


def test_a_plain_list_of_events_is_a_trace(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(EVENTS))
    assert [kernel.name for kernel in read(path)] == ["volta_sgemm_128x64_nn", "copy"]


def test_tensorflows_own_trace_has_kernels_by_their_details(tmp_path):
    path = tmp_path / "host.trace.json"
    arguments = {"kernel_details": "regs:32", "tf_op": "a/MatMul:MatMul"}
    path.write_text(
        json.dumps({"traceEvents": [{"ph": "X", "name": "g", "dur": 1, "args": arguments}]})
    )
    assert read(path) == [Kernel("g", "a/MatMul:MatMul", 1)]


def test_an_amd_gpu_is_known_by_its_name(tmp_path):
    path = tmp_path / "a.json"
    gpus = [{"id": 0, "name": "AMD Instinct MI300X", "computeMajor": 9, "computeMinor": 4}]
    path.write_text(json.dumps({"deviceProperties": gpus, "traceEvents": EVENTS}))
    assert read(path)[0].device == Device("AMD Instinct MI300X", "9.4", "AMD")


def test_a_name_that_is_not_utf8_is_still_read(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(json.dumps(EVENTS).encode().replace(b"volta_", b"v\xfflta_"))
    assert read(path)[0].name == "v�lta_sgemm_128x64_nn"


def test_a_trace_without_kernels_is_read_as_none(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"traceEvents": []}')
    assert read(path) == []


@pytest.mark.parametrize(
    ("content", "trouble"),
    [
        (json.dumps({"traceEvents": EVENTS})[:150], "is cut off or is not JSON at character"),
        ("[" * 100_000, "is cut off or is not JSON"),
        ('{"weights": [1, 2]}', "holds JSON, but no trace events"),
        ("[1, 2]", "holds JSON, but no trace events"),
        ('"text"', "holds JSON, but no trace events"),
    ],
)
def test_other_content_is_refused(tmp_path, content, trouble):
    path = tmp_path / "a.json"
    path.write_text(content)
    with pytest.raises(ProfileError, match=f"a.json: {trouble}"):
        read(path)
