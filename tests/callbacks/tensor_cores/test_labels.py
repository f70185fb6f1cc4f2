"""Readers, classifier and shares against the labelled profiles beside the checkout."""

import csv

import pytest

from callbacks.tensor_cores import readers
from callbacks.tensor_cores.summary import summarize

# Share of kernel time on Tensor Cores by the labels, in percent; None: not an NVIDIA GPU.
SHARES = {
    "jax_amd_gfx950.xplane.pb": None,
    "kineto_resnet50.pt.trace.json.gz": 0.0,
    "nsys_h100_fp32_ffma.sqlite": 0.0,
    "tfprofiler_gpu_multi_worker.xplane.pb": 0.0,
    "torch_a100_tf32_convtrain_hta.json.gz": 23.76,
    "torch_b200_eager_vllm.json.gz": 59.70,
    "torch_h100_bf16_vit_falconsai.json.gz": 78.31,
    "torch_v100_fp32_convtrain_hta.json.gz": 0.0,
}
MAX_SHARE_ERROR = 0.5
MAX_UNKNOWN_PERCENT = 2.0
ROUNDING_US = 0.05  # the labels give times to a tenth of a microsecond


@pytest.mark.parametrize("file", SHARES)
def test_labelled_profile(shared_traces, file):
    with open(shared_traces / "labels.tsv", encoding="utf-8", newline="") as lines:
        labels = {
            row["kernel"]: row
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            if row["file"] == file
        }
    summary = summarize(readers.read(shared_traces / file))

    assert {row.name for row in summary.rows} == set(labels)
    labelled_us = sum(float(row["time_us"]) for row in labels.values())
    assert summary.total_us == pytest.approx(labelled_us, abs=ROUNDING_US * len(labels))
    if SHARES[file] is None:
        assert {row.tensor_core for row in summary.rows} == {"unknown"}
        assert summary.tensor_core_time_percent is None
        assert "not" in summary.reason
        return
    verdicts = {(row.name, row.tensor_core) for row in summary.rows}
    wrong = {(n, v) for n, v in verdicts if v not in (labels[n]["tensor_core"], "unknown")}
    assert not wrong
    assert summary.unknown_time_percent <= MAX_UNKNOWN_PERCENT
    assert summary.tensor_core_time_percent == pytest.approx(SHARES[file], abs=MAX_SHARE_ERROR)
