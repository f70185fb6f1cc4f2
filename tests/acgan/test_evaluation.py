from types import SimpleNamespace

import keras
import numpy as np
import pytest

from acgan.evaluation import Evaluation
from acgan.judge import Quality
from callbacks.board import Board


class ScriptedJudge:
    """Gives the FIDs it is told to, one a judgement; notes what it was shown."""

    labels = np.array([0, 1, 1], np.int32)
    fid_floor = 0.5
    test_accuracy = 0.97

    def __init__(self, fids):
        self.fids = iter(fids)
        self.shown = []

    def assess(self, images):
        self.shown.append(images)
        fid = next(self.fids)
        return Quality(class_accuracy=1 - fid / 100, fid=fid)


@pytest.fixture
def generator():
    return keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, use_bias=False)])


@pytest.fixture
def make(tmp_path, generator):
    """Builds an `Evaluation` on a model whose generator's only weight is the number of steps."""

    def build(fids, interval=10, skip_last=lambda: False):
        judge = ScriptedJudge(fids)
        loads = []

        def load_judge():
            loads.append(judge)
            return judge

        evaluation = Evaluation(
            load_judge,
            lambda generator, labels: (generator, labels),
            tmp_path / "best.keras",
            Board(tmp_path / "tensorboard"),
            interval,
            spent=lambda: 2.0 * evaluation.steps_done,
            skip_last=skip_last,
        )
        evaluation.set_model(SimpleNamespace(generator=generator))
        evaluation.set_params({"steps": None})
        return evaluation, judge, loads

    return build


def train(evaluation, steps):
    for step in range(steps):
        evaluation.on_train_batch_begin(step)
        evaluation.model.generator.set_weights([np.array([[step + 1.0]])])
        evaluation.on_train_batch_end(step)
    evaluation.on_train_end()


def saved_weight(path):
    return keras.saving.load_model(path).get_weights()[0].item()


def test_judges_at_intervals_and_at_the_end_and_keeps_the_best(make, tmp_path):
    evaluation, judge, loads = make([8.0, 3.0, 5.0])
    assert evaluation.record() is None
    train(evaluation, 25)
    history = [
        {"step": 10, "seconds": 2.0 * 10, "class_accuracy": 1 - 8 / 100, "fid": 8.0},
        {"step": 20, "seconds": 2.0 * 20, "class_accuracy": 1 - 3 / 100, "fid": 3.0},
        {"step": 25, "seconds": 2.0 * 25, "class_accuracy": 1 - 5 / 100, "fid": 5.0},
    ]
    assert evaluation.record() == {
        "class_accuracy": 1 - 3 / 100,
        "fid": 3.0,
        "fid_floor": 0.5,
        "best_step": 20,
        "judge_test_accuracy": 0.97,
        "last": history[2],
        "history": history,
    }
    assert saved_weight(tmp_path / "best.keras") == 20
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["best.keras"]
    assert len(loads) == 1
    assert judge.shown == [(evaluation.model.generator, judge.labels)] * 3


def test_a_judgement_at_the_last_step_is_not_repeated(make):
    evaluation, _, _ = make([8.0, 3.0])
    train(evaluation, 20)
    assert [judgement["step"] for judgement in evaluation.history] == [10, 20]


def test_without_an_interval_only_the_end_is_judged(make):
    evaluation, _, _ = make([8.0], interval=0)
    train(evaluation, 25)
    assert [judgement["step"] for judgement in evaluation.history] == [25]


def test_an_interrupted_run_does_without_the_last_judgement(make):
    evaluation, _, loads = make([8.0], skip_last=lambda: True)
    train(evaluation, 5)
    assert (evaluation.history, loads) == ([], [])


def test_of_equal_judgements_the_first_is_the_best(make, tmp_path):
    evaluation, _, _ = make([3.0, 3.0])
    train(evaluation, 20)
    assert evaluation.best()["step"] == 10
    assert saved_weight(tmp_path / "best.keras") == 10
