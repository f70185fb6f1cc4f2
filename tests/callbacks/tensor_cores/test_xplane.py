import pytest

from callbacks.tensor_cores import xplane
from callbacks.tensor_cores.kernel import Device, Kernel
from callbacks.tensor_cores.profile_file import ProfileError

DETAILS = ("ref", "regs:38 grid:1,1,1")
V100 = (("compute_cap_major", 7), ("compute_cap_minor", 0), ("device_vendor", "Nvidia"))


def read(path):
    notes = []
    return list(xplane.read(path, notes.append)), notes


def test_kernels_are_added_up_per_name_and_op(make_xspace, make_plane):
    conv, relu = ("ref", "net/conv/convolution:Conv2D"), ("ref", "net/relu/Relu:Relu")
    plane = make_plane(
        [
            ("gemm", 2_000_000, {"correlation_id": 1, "kernel_details": DETAILS, "tf_op": conv}),
            ("gemm", 3_000_000, {"correlation_id": 2, "kernel_details": DETAILS, "tf_op": conv}),
            ("gemm", 5_000_000, {"correlation_id": 3, "kernel_details": DETAILS, "tf_op": relu}),
            ("MemcpyH2D", 9_000_000, {"memcpy_details": "size:4"}),
        ],
        plane_stats=V100,
    )
    device = Device("GPU:0", "7.0", "Nvidia")
    assert read(make_xspace(plane)) == (
        [
            Kernel("gemm", conv[1], 2.0 + 3.0, 2, device),
            Kernel("gemm", relu[1], 5.0, 1, device),
        ],
        [],
    )


@pytest.mark.parametrize(
    ("stats", "op"),
    [
        ({"level 0": ("ref", "a/Cast:Cast")}, "a/Cast:Cast"),
        ({"tf_op": "a/MatMul:MatMul", "hlo_op": "fusion"}, "a/MatMul:MatMul"),
        ({"tf_op": "XlaModule:", "name": ("ref", "jit(f)/dot_general")}, "jit(f)/dot_general"),
        ({"tf_op": "XlaModule:", "hlo_op": "fusion_3"}, "fusion_3"),
        ({}, ""),
    ],
)
def test_the_op_is_the_most_telling_stat(make_xspace, make_plane, stats, op):
    plane = make_plane([("kernel", 1_000_000, {"kernel_details": DETAILS, **stats})])
    assert read(make_xspace(plane))[0] == [Kernel("kernel", op, 1.0, 1, Device("GPU:0"))]


def test_every_gpu_counts_and_the_host_does_not(make_xspace, make_plane):
    kernel = ("kernel", 1_000_000, {"kernel_details": DETAILS})
    planes = [make_plane([kernel], name=f"/device:GPU:{number}") for number in (0, 4)]
    host = make_plane([kernel], name="/host:CPU")
    devices = [kernel.device.name for kernel in read(make_xspace(host, *planes))[0]]
    assert devices == ["GPU:0", "GPU:4"]


@pytest.mark.parametrize("line", ["TensorFlow Ops", "Steps", "XLA Modules", "XLA Ops"])
def test_derived_lines_are_skipped(make_xspace, make_plane, line):
    kernel = ("kernel", 1_000_000, {"kernel_details": DETAILS})
    path = make_xspace(make_plane([kernel]), make_plane([kernel], line=line))
    assert len(read(path)[0]) == 1


def test_errors_of_the_profiler_are_passed_on(make_xspace, make_plane):
    path = make_xspace(make_plane([], name="/host:CPU"), errors=["Insufficient privilege"])
    assert read(path) == ([], ["the profiler reported: Insufficient privilege"])


def test_a_name_that_is_not_utf8_is_shown_by_its_bytes(make_xspace, make_plane):
    plane = make_plane([(b"kernel_\xff", 1_000_000, {"kernel_details": DETAILS})])
    assert [kernel.name for kernel in read(make_xspace(plane))[0]] == ["kernel_\\xff"]


def test_an_amd_plane_keeps_its_vendor(make_xspace, make_plane):
    plane = make_plane(
        [("gemm_fusion_dot.kd", 1_000_000, {"kernel_details": DETAILS})],
        plane_stats=(("device_vendor", "AMD"),),
    )
    assert read(make_xspace(plane))[0][0].device == Device("GPU:0", None, "AMD")


@pytest.mark.parametrize("kept", [0.2, 0.5, 0.9, 0.99])
def test_a_truncated_file_is_refused(make_xspace, make_plane, kept):
    kernels = [(f"kernel_{n}", 1_000_000, {"kernel_details": DETAILS}) for n in range(50)]
    path = make_xspace(make_plane(kernels))
    path.write_bytes(path.read_bytes()[: int(kept * path.stat().st_size)])
    with pytest.raises(ProfileError, match=r"host.xplane.pb: is no XSpace profile, or is cut off"):
        read(path)


@pytest.mark.parametrize("content", [b"hello world", b"\x0a\x03abc", b"\xff" * 40, b"PK\x03\x04"])
def test_other_content_under_the_right_name_is_refused(tmp_path, content):
    path = tmp_path / "host.xplane.pb"
    path.write_bytes(content)
    with pytest.raises(ProfileError, match="is no XSpace profile"):
        read(path)
