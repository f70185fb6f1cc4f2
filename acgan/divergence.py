"""Training that goes wrong: noticed while it goes on, said in one line."""

import math
from dataclasses import dataclass

from acgan.collapse import CollapseWatch
from acgan.finiteness import not_finite, reader
from callbacks.loss_scale import loss_scaling_optimizers
from callbacks.steps import StepCallback

CHECK_EVERY = 100  # steps
LOOK_EVERY = 250  # steps
STALLED_STEPS = 100  # without an update
NAMED_CLASSES = 5  # that a line names at most


@dataclass(frozen=True)
class Finding:
    """What went wrong.

    Attributes:
        kind: "loss", "weights", "loss_scale" or "collapse".
        step: training steps done when it was found.
        words: one line: what, at which step, and the way out.
    """

    kind: str
    step: int
    words: str


class Divergence(StepCallback):
    """Finds out that the training of an `acgan.model.ACGAN` has gone wrong.

    | kind | what was found | looked for |
    |---|---|---|
    | loss | a loss that is not finite, without loss scaling | every step |
    | weights | a weight, batch-norm statistic or optimizer slot not finite | every 100 steps |
    | loss_scale | at its lowest, and 100 steps in a row were skipped | every 100 steps |
    | collapse | images of a class all alike, see `acgan.collapse.CollapseWatch` | every 250 steps |

    With loss scaling a loss that is not finite is no finding: float16 overflowed, the gradients are
    not finite either, and the step was skipped with the weights as they were. A few such steps are
    how the scale is found. If they go on, the scale comes down to its lowest (1, or the number that
    a constant scale is; from the highest, 2**24, in 24 steps), and no update follows: that is the
    finding. What a skipped step may leave behind are batch-norm statistics that are not finite, so
    the weights are also looked at as soon as a loss turns bad.

    The weights are looked at as training ends, too. Stands before whatever saves or judges the
    model. Make a new one for every `fit`.

    Arguments:
        draw: `draw(model)` gives uint8 images [rows, classes, height, width, channels], a row from
            each of two or more latent vectors.
        real: the `acgan.collapse.Spread` of the data set.
        class_names: a name for each class.
        policy: name of the dtype policy, for the way out.
        learning_rate: the `--learning_rate` that is trained with, for the way out.
        on_divergence: "continue" reports the first finding of each kind and goes on; "stop" ends
            training after this step and leaves the rest to the caller.
        report: called with the words of a finding after which training goes on.
        check_every: steps between two looks at the weights.
        look_every: steps between two looks at the images; 0 for none.
        first_step: as for `callbacks.steps.StepCallback`.
        state: what `state` gave at that step.

    Attributes:
        findings: a `Finding` for each kind, in the order found; none after one that ended training.
    """

    def __init__(
        self,
        draw,
        real,
        class_names,
        policy,
        learning_rate,
        on_divergence,
        report,
        check_every=CHECK_EVERY,
        look_every=LOOK_EVERY,
        first_step=0,
        state=None,
    ):
        super().__init__(first_step)
        self.draw = draw
        self.class_names = tuple(class_names)
        self.policy = policy
        self.learning_rate = learning_rate
        self.on_divergence = on_divergence
        self.report = report
        self.check_every = check_every
        self.look_every = look_every
        self.findings = []
        self._watch = CollapseWatch(real, state)
        self._read = None
        self._is_scaled = False  # whether there is loss scaling
        self._readings = {}  # the latest, by optimizer's name
        self._updates = {}  # optimizer's name -> (updates, step at which they were so many)
        self._bad_losses = []
        self._checked_at = None

    @property
    def found(self):
        """The first `Finding`, None if nothing went wrong."""
        return self.findings[0] if self.findings else None

    @property
    def ends_training(self):
        """Whether training ends because of what was found."""
        return bool(self.findings) and self.on_divergence != "continue"

    def on_train_begin(self, logs=None):
        scaled = loss_scaling_optimizers(self.model)
        self._is_scaled = bool(scaled)
        self._read = reader(self.model, scaled)

    def on_steps_end(self, executed, logs):
        if self.ends_training:
            return
        was_bad = bool(self._bad_losses)
        self._bad_losses = [name for name, loss in logs.items() if not math.isfinite(loss)]
        # Losses are means over several steps: one bad step makes those after it look bad, too.
        turned_bad = self._bad_losses and not was_bad
        is_look = self.look_every and self.passed_multiple_of(self.look_every, executed)
        is_check = is_look or self.passed_multiple_of(self.check_every, executed)
        if turned_bad and not self._is_scaled:
            self._find("loss", _no_longer_finite(self._bad_losses))
        elif (turned_bad or is_check) and self.check_weights() and is_look:
            self.look()

    def on_train_end(self, logs=None):
        if self._checked_at != self.steps_done and not self.ends_training:
            self.check_weights()

    def is_good(self):
        """Whether the model as it is now is worth coming back to; looks at everything anew.

        It is not if something is wrong or begins to be: a variable that is not finite, a class
        whose images are suspect, a skipped step with a loss that is not finite or with the loss
        scale at its lowest.
        """
        if not self.check_weights():
            return False
        if self.look_every:
            self.look()
        skipped = [reading for reading in self._readings.values() if reading.is_after_skip]
        is_stuck = any(reading.is_at_lowest for reading in skipped)
        is_bad_loss = bool(self._bad_losses) and (bool(skipped) or not self._is_scaled)
        return not (self._watch.suspects or is_stuck or is_bad_loss)

    def state(self):
        """What was seen of the images so far, as JSON can hold it, for a run that goes on."""
        return self._watch.state()

    def check_weights(self):
        """Looks at all weights, statistics and slots, and at the loss scales.

        Returns:
            Whether all variables are finite.
        """
        self._checked_at = self.steps_done
        is_finite, self._readings = self._read()
        if not is_finite:
            self._find("weights", _no_longer_finite(not_finite(self.model)))
        for name, reading in self._readings.items():
            updates, since = self._updates.get(name, (None, None))
            if reading.updates != updates:
                self._updates[name] = reading.updates, self.steps_done
            elif reading.is_at_lowest and self.steps_done - since >= STALLED_STEPS:
                self._find(
                    "loss_scale",
                    f"the loss scale of {name} is {reading.scale:g}, its lowest, and the gradients "
                    f"of the last {self.steps_done - since:,} steps were not finite",
                )
        return is_finite

    def look(self):
        """Looks at images of every class."""
        collapsed = self._watch.look(self.steps_done, self.draw(self.model))
        if not collapsed:
            return
        names = [self.class_names[number] for number in collapsed]
        shown = ", ".join(names[:NAMED_CLASSES])
        more = f" and {len(names) - NAMED_CLASSES} more" if len(names) > NAMED_CLASSES else ""
        drawn, real = (s.variety[collapsed[0]] for s in (self._watch.latest, self._watch.real))
        self._find(
            "collapse",
            f"all images of class {shown}{more} are alike (those of {names[0]} differ by "
            f"{drawn:.1f} grey levels, real ones by {real:.1f})",
        )

    def _find(self, kind, what):
        if self.ends_training or any(finding.kind == kind for finding in self.findings):
            return
        words = f"step {self.steps_done:,}: {what}: train with {self._way_out(kind)}"
        self.findings.append(Finding(kind, self.steps_done, words))
        if self.on_divergence == "continue":
            self.report(words)
        else:
            self.model.stop_training = True

    def _way_out(self, kind):
        lower = f"a lower --learning_rate than {self.learning_rate:g}"
        if kind == "collapse":
            return f"{lower}, another --seed or more images"
        if kind == "loss_scale" and any(r.lowest > 1 for r in self._readings.values()):
            return f"{lower}, --loss_scale=dynamic or --policy=float32"
        return lower if self.policy == "float32" else f"{lower} or --policy=float32"


def _no_longer_finite(names):
    first, *others = names
    more = f" and {len(others)} more are" if others else " is"
    return f"{first}{more} no longer finite"
