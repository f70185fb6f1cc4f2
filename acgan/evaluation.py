"""The judge's verdict on the generator while it trains, and the best generator so far."""

from callbacks.files import replacing
from callbacks.steps import StepCallback


class Evaluation(StepCallback):
    """Judges the generator regularly and at the end, and keeps the best one by FID.

    An AC-GAN gets better, then may collapse; the last generator is not always the best.

    | tag | value |
    |---|---|
    | `quality/class_accuracy` | share of images, 0..1, seen as the class that was asked for |
    | `quality/fid` | Fréchet distance to real images in the judge's features |

    Arguments:
        load_judge: `load_judge()` gives an `acgan.judge.Judge`; called at the first judgement.
        generate: `generate(generator, labels)` gives uint8 images, the same for the same weights.
        best_path: where the best generator is saved.
        board: a `callbacks.board.Board`.
        interval: steps between judgements; 0 judges at the end only.
        spent: `spent()` gives the seconds trained so far.
        skip_last: `skip_last()` says whether to do without the judgement at the end.
        history: judgements of a run that goes on.
        first_step: as for `StepCallback`.

    Attributes:
        judge: the judge, None before the first judgement.
        history: a dictionary a judgement: `step`, `seconds`, `class_accuracy`, `fid`.
    """

    def __init__(
        self,
        load_judge,
        generate,
        best_path,
        board,
        interval,
        spent,
        skip_last=lambda: False,
        history=(),
        first_step=0,
    ):
        super().__init__(first_step)
        self.load_judge = load_judge
        self.generate = generate
        self.best_path = best_path
        self.board = board
        self.interval = interval
        self.spent = spent
        self.skip_last = skip_last
        self.judge = None
        self.history = list(history)

    def on_train_begin(self, logs=None):
        if self.history and self.judge is None:  # whose own figures belong to the record
            self.judge = self.load_judge()

    def on_steps_end(self, executed, logs):
        if self.interval and self.passed_multiple_of(self.interval, executed):
            self.evaluate()

    def on_train_end(self, logs=None):
        judged_at = self.history[-1]["step"] if self.history else None
        if judged_at != self.steps_done and not self.skip_last():
            self.evaluate()

    def best(self):
        """The judgement with the lowest FID, None before the first."""
        return min(self.history, key=lambda judgement: judgement["fid"], default=None)

    def evaluate(self):
        """Judges the generator as it is now, and saves it if it is the best so far."""
        if self.judge is None:
            self.judge = self.load_judge()
        quality = self.judge.assess(self.generate(self.model.generator, self.judge.labels))
        judgement = {
            "step": self.steps_done,
            "seconds": self.spent(),
            "class_accuracy": quality.class_accuracy,
            "fid": quality.fid,
        }
        self.history.append(judgement)
        self.board.scalars(
            {f"quality/{name}": judgement[name] for name in ("class_accuracy", "fid")},
            self.steps_done,
        )
        if self.best() is judgement:
            with replacing(self.best_path) as partial:
                self.model.generator.save(partial)

    def record(self):
        """The record's `quality`, None before the first judgement."""
        if not self.history or self.judge is None:
            return None
        best, last = self.best(), self.history[-1]
        return {
            "class_accuracy": best["class_accuracy"],
            "fid": best["fid"],
            "fid_floor": self.judge.fid_floor,
            "best_step": best["step"],
            "judge_test_accuracy": self.judge.test_accuracy,
            "last": last,
            "history": list(self.history),
        }
