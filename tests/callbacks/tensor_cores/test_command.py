import json
import os
import pathlib
import subprocess
import sys

import pytest

from callbacks.tensor_cores import command

ROOT = pathlib.Path(__file__).parents[3]
IMPORTS_NO_TENSORFLOW = """
import sys
from callbacks.tensor_cores import command
command.main(sys.argv[1:])
sys.exit("tensorflow" in sys.modules)
"""
TRACE = {
    "deviceProperties": [{"id": 0, "name": "Tesla V100", "computeMajor": 7, "computeMinor": 0}],
    "traceEvents": [
        {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "args": {"External id": 7}},
        {
            "ph": "X",
            "cat": "kernel",
            "name": "volta_fp16_s884gemm_fp16_64x64_nn",
            "dur": 30.0,
            "args": {"External id": 7, "device": 0},
        },
        {"ph": "X", "cat": "kernel", "name": "copy", "dur": 10.0, "args": {"device": 0}},
    ],
}


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "good.json"
    path.write_text(json.dumps(TRACE))
    return str(path)


def test_json_alone_with_every_kernel(trace, capsys):
    assert command.main(["--json", "--top", "1", trace]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    assert json.loads(output.out) == [
        {
            "file": trace,
            "device": "Tesla V100",
            "compute_capability": "7.0",
            "total_us": 30.0 + 10.0,
            "tensor_core_time_percent": 100 * 30.0 / (30.0 + 10.0),
            "eligible_time_percent": 100 * 30.0 / (30.0 + 10.0),
            "unknown_time_percent": 0.0,
            "reason": None,
            "kernels": [
                {
                    "name": "volta_fp16_s884gemm_fp16_64x64_nn",
                    "op": "aten::mm",
                    "launches": 1,
                    "total_us": 30.0,
                    "tensor_core": "yes",
                },
                {"name": "copy", "op": "", "launches": 1, "total_us": 10.0, "tensor_core": "no"},
            ],
        }
    ]


def test_a_broken_file_costs_one_line_and_the_others_are_printed(
    trace, tmp_path, capsys, monkeypatch
):
    monkeypatch.delenv("COLUMNS", raising=False)  # or names are cut to that width
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps(TRACE)[:100])
    assert command.main([str(broken), trace]) == 1
    output = capsys.readouterr()
    assert output.err.startswith(f"kernels: {broken}: is cut off or is not JSON at character")
    assert output.err.count("\n") == 1
    assert "volta_fp16_s884gemm_fp16_64x64_nn" in output.out


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_profile_without_kernels_says_so(tmp_path, capsys, options):
    path = tmp_path / "empty.json"
    path.write_text('{"traceEvents": []}')
    assert command.main([*options, str(path)]) == 1
    output = capsys.readouterr()
    assert output.err == (
        f"kernels: {path}: the profile holds no GPU kernels; record on a GPU, with the GPU's "
        "activity traced\n"
    )
    if options:
        (entry,) = json.loads(output.out)
        assert entry["tensor_core_time_percent"] is None
        assert entry["reason"] == "the profile holds no GPU kernels"
        assert entry["kernels"] == []
    else:
        assert output.out == ""


def test_an_amd_profile_is_printed_without_a_share(make_xspace, make_plane, capsys):
    plane = make_plane(
        [("gemm_fusion_dot.kd", 1_000_000, {"kernel_details": "grid:1,1,1"})],
        plane_stats=(("device_vendor", "AMD"),),
    )
    assert command.main(["--json", str(make_xspace(plane))]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert entry["tensor_core_time_percent"] is None
    assert "not NVIDIA's" in entry["reason"]
    assert entry["kernels"][0]["tensor_core"] == "unknown"


def test_host_planes_only_passes_on_why(make_xspace, make_plane, capsys):
    path = make_xspace(make_plane([], name="/host:CPU"), errors=["Failed to load libcupti"])
    assert command.main([str(path)]) == 1
    assert capsys.readouterr().err == (
        f"kernels: {path}: the profile holds no GPU kernels; the profiler reported: Failed to load "
        "libcupti\n"
    )


@pytest.mark.parametrize("top", ["0", "-1", "many"])
def test_a_wrong_top_is_named(trace, capsys, top):
    with pytest.raises(SystemExit, match="2"):
        command.main([trace, "--top", top])
    assert f"{top!r} is not a whole number above 0" in capsys.readouterr().err


def test_the_script_runs_from_anywhere_and_without_tensorflow(trace, tmp_path):
    (tmp_path / "callbacks.py").write_text("raise SystemExit('the wrong callbacks')")
    script = subprocess.run(
        [ROOT / "scripts" / "kernels", "--json", trace],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(script.stdout)[0]["device"] == "Tesla V100"
    loaded = subprocess.run(
        [
            sys.executable,
            "-c",
            IMPORTS_NO_TENSORFLOW,
            trace,
        ],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert loaded.returncode == 0


@pytest.mark.parametrize(
    "kernel",
    [
        {"args": {"device": [1]}},
        {"args": {"External id": [1]}},
        {"args": {"External id": {"a": 1}}},
        {"dur": float("nan")},
        {"dur": float("inf")},
        {"dur": -5.0},
        {"dur": True},
        {"dur": 10**400},
    ],
    ids=lambda kernel: str(kernel)[:30],
)
def test_odd_values_cost_one_line_and_spare_the_other_files(trace, tmp_path, capsys, kernel):
    odd = tmp_path / "odd.json"
    event = {"ph": "X", "cat": "kernel", "name": "copy", "dur": 10.0, "args": {"device": 0}}
    odd.write_text(json.dumps({"traceEvents": [{**event, **kernel}]}))
    assert command.main(["--json", str(odd), trace]) == 1
    output = capsys.readouterr()
    assert [summary["file"] for summary in json.loads(output.out)] == [trace]
    assert output.err.count("\n") == 1
    assert str(odd) in output.err


def test_an_odd_device_costs_one_line(trace, tmp_path, capsys):
    for number, properties in enumerate((5, [{"id": [0], "name": 3}])):
        odd = tmp_path / f"odd{number}.json"
        odd.write_text(json.dumps({**TRACE, "deviceProperties": properties}))
        assert command.main([str(odd), trace]) in (0, 1)
        output = capsys.readouterr()
        assert "Tesla V100" in output.out
        assert "Traceback" not in output.err
