import copy

import keras
import numpy as np
import pytest
import tensorflow as tf
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray

from callbacks.board import Board
from callbacks.step_time import StepTime
from callbacks.tensor_cores.callback import TensorCores

T4 = {"device": "GPU", "gpu_name": "Tesla T4", "compute_capability": "7.5"}
# Microseconds of a recorded step: half of the matrix products' time is on Tensor Cores.
KERNELS = (
    ("turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_nn", 30, "dense/MatMul:MatMul"),
    ("volta_sgemm_128x64_nn", 30, "dense_1/MatMul:MatMul"),
    ("Eigen::internal::EigenMetaKernel<relu>", 40, "relu/Relu:Relu"),
)


@pytest.fixture
def gpu(monkeypatch):
    """Makes this machine look like one with a T4; returns what may be changed."""
    device = dict(T4)
    monkeypatch.setattr("callbacks.hardware.detect", lambda: device)
    return device


@pytest.fixture
def profiler(monkeypatch, make_plane, make_xspace):
    """A profiler that leaves a written profile; its `content`, `start_error`, `stop_error` count."""

    class Profiler:
        start_error = stop_error = None
        running = False
        windows = ()

        def __init__(self):
            details = [(name, us * 10**6, {"kernel_details": "grid:1", "tf_op": op})
                       for name, us, op in KERNELS]  # fmt: skip
            stats = [("compute_cap_major", 7), ("compute_cap_minor", 5)]
            self.content = make_xspace(make_plane(details, plane_stats=stats)).read_bytes()

        def start(self, log_dir):
            if self.start_error:
                raise self.start_error
            self.log_dir, self.running = log_dir, True

        def stop(self, save=True):
            self.running = False
            if self.stop_error:
                raise self.stop_error
            if self.content is not None:
                folder = tf.io.gfile.join(self.log_dir, "plugins/profile/2026")
                tf.io.gfile.makedirs(folder)
                with open(f"{folder}/host.xplane.pb", "wb") as file:
                    file.write(self.content)

    fake = Profiler()
    monkeypatch.setattr("tensorflow.profiler.experimental.start", fake.start)
    monkeypatch.setattr("tensorflow.profiler.experimental.stop", fake.stop)
    for user in ("tensor_cores.callback", "step_time"):
        monkeypatch.setattr(f"callbacks.{user}.profiler_is_running", lambda: fake.running)
    return fake


class FakePipe:
    """Hardware counters of GPUs that can be opened and closed."""

    class Gpus:
        def open(self):
            pass

        def close(self):
            pass

    gpus = Gpus()

    def start(self):
        pass


def fit(callbacks, steps=12):
    model = keras.Sequential([keras.Input((110,)), keras.layers.Dense(16), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    x = np.ones((steps * 4, 110), np.float32)
    model.fit(x, x[:, :1], batch_size=4, verbose=0, shuffle=False, callbacks=callbacks)


@pytest.fixture
def said():
    return []


@pytest.fixture
def tensor_cores(tmp_path, said):
    return TensorCores(
        Board(tmp_path / "logs"), "mixed_float16", batch_size=4, start=5, steps=3,
        report=said.append,
    )  # fmt: skip


def test_shares_and_kernels_are_logged(gpu, profiler, tensor_cores, tmp_path, said):
    fit([tensor_cores])
    tensor_cores.board.close()
    shares = {
        "kernel_time_percent": 30.0,
        "eligible_time_percent": 60.0,
        "efficiency_percent": 50.0,
        "unknown_time_percent": 0.0,
        "cast_time_percent": 0.0,
    }
    kernel_ms = (0.03 + 0.03 + 0.04) / 3  # three profiled steps
    assert tensor_cores.record() == {
        **shares,
        "kernel_ms_per_step": pytest.approx(kernel_ms),
        "pipe_active_percent": None,
        "reason": None,
    }
    events = EventAccumulator(str(tmp_path / "logs")).Reload()
    for share, percent in shares.items():
        (event,) = events.Tensors(f"tensor_cores/{share}")
        assert (event.step, make_ndarray(event.tensor_proto).item()) == (8, percent)
    (text,) = events.Tensors("tensor_cores/kernels")
    table = make_ndarray(text.tensor_proto).item().decode()
    assert "| `volta_sgemm_128x64_nn` | dense_1/MatMul:MatMul | 1 | 0.030 |  30.0 % | no |" in table


def test_a_low_share_is_explained(gpu, profiler, tensor_cores, make_plane, make_xspace, said):
    slow = [("volta_sgemm_128x64_nn", 10**6, {"kernel_details": "g", "tf_op": "d/MatMul:MatMul"})]
    profiler.content = make_xspace(make_plane(slow)).read_bytes()
    fit([tensor_cores])
    text = "\n".join(said)
    assert "batch size 4" in text
    assert "input width 110" in text
    assert "volta_sgemm_128x64_nn for d/MatMul:MatMul (100.0 %)" in text


def test_profiled_steps_are_not_in_the_step_time(gpu, profiler, tensor_cores):
    step_time = StepTime(None, images_per_step=4)
    fit([tensor_cores, step_time])
    assert step_time.rates().measured_steps == 12 - 1 - 3


@pytest.mark.parametrize(
    ("trouble", "way_out"),
    [
        ({"start_error": tf.errors.AlreadyExistsError(None, None, "Another profiler is running.")},
         "another profiler is running"),
        ({"stop_error": tf.errors.UnavailableError(None, None, "No profiler is running.")},
         "No profiler is running"),
        ({"content": None}, "left no file"),
        ({"content": b""}, "profile fewer steps"),
        ({"content": b"\x0a\xff\xff"}, "record it again"),
    ],
    ids=["another", "stop", "no file", "0 bytes", "truncated"],
)  # fmt: skip
def test_whatever_the_profiler_does_training_goes_on(
    gpu, profiler, tensor_cores, said, trouble, way_out
):
    for name, value in trouble.items():
        setattr(profiler, name, value)
    fit([tensor_cores])
    assert tensor_cores.steps_done == 12
    assert tensor_cores.record()["kernel_time_percent"] is None
    assert way_out in tensor_cores.record()["reason"]
    assert way_out in said[0]


@pytest.mark.parametrize(
    ("error", "way_out"),
    [
        ("Insufficient privilege to run libcupti", "NVreg_RestrictProfilingToAdminUsers=0"),
        ("Failed to load libcupti (is it installed and accessible?)", "LD_LIBRARY_PATH"),
        ("No GPU detected.", "nvidia-smi"),
    ],
)
def test_a_complaint_of_the_profiler_comes_with_its_remedy(
    gpu, profiler, tensor_cores, make_plane, make_xspace, error, way_out
):
    host = make_plane([], name="/host:CPU")
    profiler.content = make_xspace(host, errors=[error]).read_bytes()
    fit([tensor_cores])
    assert error in tensor_cores.record()["reason"]
    assert way_out in tensor_cores.record()["reason"]


def test_dropped_events_are_said_beside_the_shares(
    gpu, profiler, tensor_cores, make_plane, make_xspace, said
):
    kernels = [("volta_sgemm_128x64_nn", 10**6, {"kernel_details": "g"})]
    complaint = "1234 events were dropped: buffer full"
    profiler.content = make_xspace(make_plane(kernels), errors=[complaint]).read_bytes()
    fit([tensor_cores])
    assert tensor_cores.record()["kernel_time_percent"] == 0
    assert any("lost some events" in line and complaint in line for line in said)


def test_without_a_gpu_nothing_is_profiled(tensor_cores, said):
    fit([tensor_cores])
    record = tensor_cores.record()
    assert "no GPU" in record.pop("reason")
    assert set(record.values()) == {None}
    assert said == []


def test_training_that_ends_within_the_profile_is_read_all_the_same(gpu, profiler, tensor_cores):
    fit([tensor_cores], steps=6)
    assert tensor_cores.record()["kernel_time_percent"] == 30.0
    assert not profiler.running


def test_training_that_ends_before_the_profile_says_so(gpu, profiler, tensor_cores):
    fit([tensor_cores], steps=4)
    assert "ended before" in tensor_cores.record()["reason"]


def test_counters_follow_the_profile_over_as_many_steps(gpu, profiler, tmp_path):
    seen = []

    class SeenGpus:
        def open(self):
            seen.append(("open", callback.steps_done))

        def close(self):
            seen.append(("close", callback.steps_done))

    class Pipe(FakePipe):
        gpus = SeenGpus()

        def start(self):
            seen.append(("start", callback.steps_done, profiler.running))

        def stop(self):
            seen.append(("stop", callback.steps_done, profiler.running))
            return 42.0, None

    readings = iter([10.0, 10.0, 10.1, 10.4, 10.6])  # half a second is over at the last
    callback = TensorCores(
        Board(tmp_path),
        "mixed_float16",
        4,
        start=2,
        steps=3,
        pipe=Pipe(),
        clock=lambda: next(readings),
    )
    fit([callback])
    assert seen == [("open", 5), ("start", 5, False), ("stop", 10, False), ("close", 10)]
    assert callback.record()["pipe_active_percent"] == 42.0


def test_counters_are_read_where_the_profiler_fails(gpu, profiler, tmp_path, said):
    class Pipe(FakePipe):
        def stop(self):
            return None, "this GPU has no such counters"

    profiler.start_error = tf.errors.AlreadyExistsError(None, None, "Another profiler is running.")
    callback = TensorCores(Board(tmp_path), "float32", 4, start=2, pipe=Pipe(), report=said.append)
    fit([callback])
    assert callback.record()["pipe_active_percent"] is None
    assert any("no such counters" in line for line in said)


def test_a_copy_measures_for_itself(gpu, profiler, tensor_cores):
    twin = copy.deepcopy(tensor_cores)
    fit([twin])
    assert twin.record()["kernel_time_percent"] == 30.0
    assert tensor_cores.summary is None


def test_the_real_profiler_leaves_a_readable_file(tmp_path, monkeypatch, said):
    monkeypatch.setattr("callbacks.hardware.detect", lambda: dict(T4))
    callback = TensorCores(Board(tmp_path), "float32", 4, start=2, steps=2, report=said.append)
    fit([callback], steps=6)
    assert list(tmp_path.glob("plugins/profile/*/*.xplane.pb"))
    # This machine's CPU leaves host planes only, or its GPU leaves kernels.
    assert callback.summary or "no GPU kernels" in callback.record()["reason"]
