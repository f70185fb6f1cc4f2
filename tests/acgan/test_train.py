"""The command as a user runs it: a process of its own, its files read by others' readers."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray

SMALL = ("--width=8", "--batch_size=16", "--seed=1", "--policy=float32")


@pytest.fixture
def train(tmp_path, judge_cache):
    """Runs `acgan.train` in an empty folder; returns the finished process."""

    def run(*flags):
        command = [sys.executable, "-m", "acgan.train", f"--cache_dir={judge_cache}", *flags]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)

    return run


def scalars(folder, tag):
    """[(step, value)] of a tag, read by TensorBoard's own reader."""
    every_point = {"tensors": 0}  # by default the reader keeps ten of them
    events = EventAccumulator(str(folder / "tensorboard"), every_point).Reload()
    return [(event.step, make_ndarray(event.tensor_proto).item()) for event in events.Tensors(tag)]


def record_of(folder):
    def refuse(constant):
        raise ValueError(f"{constant} is no JSON")

    return json.loads((folder / "run.json").read_text(), parse_constant=refuse)


def test_a_run_leaves_what_it_promises(train, tmp_path):
    done = train(
        *SMALL,
        "--steps=25",
        "--run_dir=run",
        "--sample_every=10",
        "--evaluate_every=20",
        "--minutes=5",
    )
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "run"

    record = record_of(folder)
    assert record["status"] == "completed"
    assert (record["steps"], record["images"]) == (25, 25 * 16)
    assert record["config"]["seed"] == 1
    assert record["resolved"]["policy"] == "float32"
    assert record["resolved"]["image_shape"] == [28, 28, 1]
    assert record["hardware"]["device"] in ("CPU", "GPU")
    seconds = record["seconds"]
    parts = sum(value for part, value in seconds.items() if part != "total")
    assert parts == pytest.approx(seconds["total"], abs=0.01)
    assert record["step_time_ms"]["measured_steps"] == 24
    assert record["tensor_cores"]["kernel_time_percent"] is None or seconds["profile"] > 0
    assert record["cost"]["usd_per_hour"] or "--usd_per_hour" in record["reasons"]["cost"]

    quality = record["quality"]
    assert [judgement["step"] for judgement in quality["history"]] == [20, 25]
    best = min(quality["history"], key=lambda judgement: judgement["fid"])
    assert (quality["fid"], quality["best_step"]) == (best["fid"], best["step"])
    assert quality["last"]["step"] == 25
    assert quality["judge_test_accuracy"] > 0.9

    samples = sorted(path.name for path in (folder / "samples").iterdir())
    assert samples == ["step-000010.png", "step-000020.png", "step-000025.png"]
    for name in ("generator", "discriminator", "class_real", "class_generated"):
        points = scalars(folder, f"loss/{name}")
        assert [step for step, _ in points] == [10, 20]
        assert np.isfinite([value for _, value in points]).all()
    assert [step for step, _ in scalars(folder, "quality/fid")] == [20, 25]
    assert [step for step, _ in scalars(folder, "quality/class_accuracy")] == [20, 25]
    events = EventAccumulator(str(folder / "tensorboard")).Reload()
    assert [event.step for event in events.Tensors("samples/by_class")] == [10, 20, 25]

    for line in ("samples", "record", "TensorBoard"):
        assert line in done.stdout
    assert not [path for path in folder.rglob("*") if ".part" in path.name]

    program = (
        "import sys, keras, numpy as np\n"
        "for path in sys.argv[1:]:\n"
        "    images = keras.saving.load_model(path)([np.zeros((2, 128), 'float32'),"
        " np.array([3, 7])])\n"
        "    print(tuple(images.shape), 'acgan' in sys.modules)\n"
    )
    paths = [str(folder / name) for name in ("generator.keras", "generator-last.keras")]
    loaded = subprocess.run(
        [sys.executable, "-c", program, *paths], capture_output=True, text=True, cwd=tmp_path
    )
    assert loaded.stdout == "(2, 28, 28, 1) False\n" * 2, loaded.stderr

    generate = [sys.executable, "-m", "acgan.generate", "--run=run"]
    made = subprocess.run(
        [*generate, "--classes=3,7", "--count=5", "--out=images"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert made.returncode == 0, made.stderr
    names = sorted(path.name for path in (tmp_path / "images").iterdir())
    assert names == ["3-0.png", "3-2.png", "3-4.png", "7-1.png", "7-3.png", "grid.png"]

    again = train(*SMALL, "--steps=1", "--run_dir=run")
    assert_one_line(again, "--run_dir=run", "never overwritten")
    assert record_of(folder) == record


def test_the_same_seed_gives_the_same_losses_and_weights(train, tmp_path):
    for name, seed in (("a", 4), ("b", 4), ("c", 5)):
        done = train(*SMALL, f"--seed={seed}", "--steps=20", "--noevaluate", f"--run_dir={name}")
        assert done.returncode == 0, done.stderr
    a, b, c = (
        [scalars(tmp_path / name, f"loss/{loss}") for loss in ("generator", "class_real")]
        for name in "abc"
    )
    assert a == b
    assert a != c


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_reduced_precision_trains(train, tmp_path, policy):
    done = train(
        "--width=8", "--batch_size=16", f"--policy={policy}", "--steps=20", "--noevaluate",
        "--run_dir=run",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    record = record_of(tmp_path / "run")
    assert (record["resolved"]["policy"], record["steps"]) == (policy, 20)
    assert record["quality"] is None
    assert "quality" in record["reasons"]
    generators = [tmp_path / "run" / name for name in ("generator.keras", "generator-last.keras")]
    assert generators[0].read_bytes() == generators[1].read_bytes()
    if policy == "mixed_float16":
        for network in ("generator", "discriminator"):
            state = record["loss_scale"][network]
            # Every skipped step halved the scale that began at 2**15.
            assert state["final"] == 2.0 ** (15 - state["skipped_steps"])
        if record["hardware"]["device"] == "CPU":
            assert "--policy=" in done.stderr
            assert "warning" in done.stderr
    else:
        assert record["loss_scale"] is None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_in_good_order(tmp_path, judge_cache, number):
    command = [sys.executable, "-m", "acgan.train", *SMALL, f"--cache_dir={judge_cache}"]
    command += ["--minutes=5", "--run_dir=run", "--noevaluate", "--sample_every=5"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as process:
        deadline = time.monotonic() + 120
        while not list((tmp_path / "run").glob("samples/*.png")):
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.1)
        os.kill(process.pid, number)
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert errors == ""
    assert "interrupted by SIG" in output
    record = record_of(tmp_path / "run")
    assert record["status"] == "interrupted"
    assert record["steps"] >= 5
    assert (tmp_path / "run" / "generator-last.keras").exists()


def assert_one_line(done, *parts):
    """That a command failed with one clear line, which holds all parts."""
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("error: ")
    for part in parts:
        assert part in done.stderr


@pytest.mark.parametrize(
    ("flags", "parts"),
    [
        (["--dataset=mnist5"], ["mnist5", "mnist5k"]),
        (["--dataset=nowhere/data.npz"], ["nowhere/data.npz", ".npz"]),
        (["--classes=3,eleven"], ["eleven", "0, 1, 2"]),
        (["--classes=3"], ["single class"]),
        (["--dataset=quickdraw", "--classes=aple,eye"], ["aple", "apple"]),
        (["--batch_size=5001"], ["--batch_size=5001", "5000 images"]),
        (["--network=article", "--width=64"], ["--width=64", "article"]),
        (["--width=20"], ["--width=20", "multiple of 8"]),
        (["--loss_scale=tiny"], ["--loss_scale=tiny", "dynamic"]),
        (["--max_usd=3", "--provider=nobody"], ["--max_usd=3", "--usd_per_hour"]),
        (["--loss_scale=0.5"], ["--loss_scale=0.5", "dynamic"]),
        (["--run_dir=/dev/null/run"], ["--run_dir=/dev/null/run", "choose another"]),
        (["somewhere"], ["somewhere", "--name=value"]),
    ],
    ids=lambda value: value[0] if value[0].startswith("--") else "",
)
def test_a_wrong_value_ends_in_one_clear_line(train, tmp_path, flags, parts):
    assert_one_line(train("--steps=1", *flags), *parts)
    assert not list(tmp_path.glob("runs/*/run.json"))


@pytest.mark.parametrize(
    ("flag", "parts"),
    [
        ("--policy=float16", ["policy", "float16", "mixed_float16"]),
        ("--network=resnet", ["network", "resnet", "dcgan"]),
        ("--batch_size=0", ["batch_size", "0", "positive"]),
        ("--batch_size=-3", ["batch_size", "-3", "positive"]),
        ("--batch_size=many", ["batch_size", "many"]),
        ("--steps=0", ["steps", "0", "positive"]),
        ("--minutes=0", ["minutes", "0"]),
        ("--seed=-1", ["seed", "-1"]),
        ("--learning_rate=-1", ["learning_rate", "-1"]),
        ("--usd_per_hour=-2", ["usd_per_hour", "-2", "positive"]),
        ("--usd_per_hour=cheap", ["usd_per_hour", "cheap"]),
        ("--max_usd=0", ["max_usd", "0", "positive"]),
        ("--polcy=float32", ["polcy", "policy"]),
    ],
)
def test_a_wrong_flag_is_named_with_what_is_accepted(train, flag, parts):
    done = train(flag)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    for part in parts:
        assert part in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_float16_learns_with_every_seed(train, tmp_path, seed):
    done = train(
        "--policy=mixed_float16", "--width=8", f"--seed={seed}", "--steps=200", "--noevaluate",
        "--run_dir=run", "--sample_every=0",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    losses = dict(scalars(tmp_path / "run", "loss/class_real"))  # means of ten steps each
    first = np.mean([losses[step] for step in (10, 20)])
    last = np.mean([losses[step] for step in range(160, 201, 10)])
    assert last < first

    import keras

    generator = keras.saving.load_model(tmp_path / "run" / "generator-last.keras", compile=False)
    assert all(np.isfinite(weight.numpy()).all() for weight in generator.weights)
