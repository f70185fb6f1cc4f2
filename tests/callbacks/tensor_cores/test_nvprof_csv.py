import pytest

from callbacks.tensor_cores import nvprof_csv
from callbacks.tensor_cores.kernel import Device, Kernel
from callbacks.tensor_cores.profile_file import ProfileError

NVIDIA = Device(vendor="Nvidia")
SUMMARY = """==412== NVPROF is profiling process 412, command: python train.py
==412== Profiling application: python train.py
==412== Profiling result:
"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"
,%,ms,,us,us,us,
"GPU activities",60.0,1.5,30,50.0,1.0,90.0,"volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_nn"
"GPU activities",30.0,0.75,3,250.0,1.0,90.0,"void copy<float, int=1>(float const *, float*)"
"GPU activities",10.0,0.25,1,250.0,1.0,90.0,"[CUDA memcpy HtoD]"
"API calls",99.0,7.0,9,1.0,1.0,1.0,"cudaLaunchKernel"
"""
WITHOUT_TYPE = """==9== Profiling result:
Time(%),Time,Calls,Avg,Min,Max,Name
%,s,,ms,us,ms,
100.00,2.000000,10,200.0,100.0,300.0,"volta_sgemm_128x64_nn"

==9== API calls:
Time(%),Time,Calls,Avg,Min,Max,Name
%,s,,ms,us,ms,
50.00,1.0,4,1.0,1.0,1.0,"cudaMalloc"
"""
TRACE = """==7== Profiling result:
"Start","Duration","Grid X","Size","Throughput","Device","Context","Stream","Name"
s,us,,MB,GB/s,,,,
0.1,2.0,1,,,"Tesla P100-PCIE-16GB (0)","1","7","volta_sgemm_128x64_nn [118]"
0.2,3.0,1,,,"Tesla P100-PCIE-16GB (0)","1","7","volta_sgemm_128x64_nn [121]"
0.3,9.0,,4.0,5.0,"Tesla P100-PCIE-16GB (0)","1","7","[CUDA memcpy HtoD]"
"""


def read(tmp_path, content):
    path = tmp_path / "log.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    notes = []
    return list(nvprof_csv.read(path, notes.append)), notes


def test_summary(tmp_path):
    assert read(tmp_path, SUMMARY) == (
        [
            Kernel("volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_nn", "", 1500.0, 30, NVIDIA),
            Kernel("void copy<float, int=1>(float const *, float*)", "", 750.0, 3, NVIDIA),
        ],
        [],
    )


def test_older_summary_has_no_type_column(tmp_path):
    assert read(tmp_path, WITHOUT_TYPE)[0] == [
        Kernel("volta_sgemm_128x64_nn", "", 2_000_000.0, 10, NVIDIA)
    ]


def test_gpu_trace_names_the_gpu(tmp_path):
    p100 = Device("Tesla P100-PCIE-16GB", None, "Nvidia")
    name = "volta_sgemm_128x64_nn"
    kernels = [Kernel(name, "", 2.0, 1, p100), Kernel(name, "", 3.0, 1, p100)]
    assert read(tmp_path, TRACE)[0] == kernels


@pytest.mark.parametrize(
    ("unit", "factor"), [("ns", 0.001), ("us", 1.0), ("ms", 1000.0), ("s", 1_000_000.0)]
)
def test_units(tmp_path, unit, factor):
    kernels, _ = read(tmp_path, SUMMARY.replace(",%,ms", f",%,{unit}"))
    assert kernels[0].total_us == pytest.approx(1.5 * factor)


def test_no_kernels_is_passed_on(tmp_path):
    log = "==5== Profiling result:\n==5== No kernels were profiled.\n"
    assert read(tmp_path, log) == ([], ["nvprof reported: No kernels were profiled."])


def test_windows_lines_and_names_that_are_not_utf8(tmp_path):
    content = SUMMARY.encode().replace(b"\n", b"\r\n").replace(b"void copy", b"void c\xffpy")
    names = [kernel.name for kernel in read(tmp_path, content)[0]]
    assert names[1].startswith("void c\\xffpy<float")


@pytest.mark.parametrize(
    ("content", "trouble"),
    [
        ("a,b\n1,2\n", "holds no nvprof table"),
        (SUMMARY.replace(",%,ms", ",%,hours"), "nvprof gives '1.5' in 'hours'"),
        (SUMMARY.replace("1.5,30", "much,30"), "nvprof gives 'much' in 'ms'"),
    ],
)
def test_other_content_is_refused(tmp_path, content, trouble):
    with pytest.raises(ProfileError, match=f"log.csv: {trouble}"):
        read(tmp_path, content)
