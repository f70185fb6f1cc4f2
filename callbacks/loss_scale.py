"""The loss scales of a model's optimizers, and the steps they skip."""

import collections
import itertools

import keras
from keras import ops

from callbacks.steps import StepCallback

READ_EVERY = 10  # steps; a reading costs some 0.15 ms an optimizer, a reading every step would show
WINDOW = 100  # steps that the warning about skipped steps looks back


class LossScale(StepCallback):
    """Follows every loss-scaling optimizer of a model, whatever attribute holds it.

    Float16 training multiplies the loss by a scale; a step with a gradient that is not finite is
    skipped, and the scale halved.

    | tag | value |
    |---|---|
    | `loss_scale/<name>` | the scale, a plain number |
    | `loss_scale/skipped_steps_<name>` | steps skipped since the run began |

    `<name>` is as `loss_scaling_optimizers` gives it: "generator" for an attribute
    `generator_optimizer`, "model" for the `optimizer` of `compile`. A model without such an
    optimizer logs nothing.

    Two conditions are reported, once each time they begin: a scale below 1, and more than half of
    the last 100 steps skipped; the latter has ended when no more than a quarter are. The scales are
    read every 10 steps (or every execution, if that holds more) and at each point, so a warning is
    at most that late.

    A step is skipped if it was attempted and the optimizer's `iterations` did not advance. In a
    continued run the optimizers come with the `iterations` of all steps before `first_step`; if one
    comes with none, or with more than that, its count starts at 0 here.

    Arguments:
        board: a `callbacks.board.Board`, or None to log nothing.
        interval: steps per point; there is one more at the end of each `fit`.
        first_step: as for `StepCallback`.
        report: called with each warning, one line.
        updates_per_step: how often a training step applies an optimizer, by its name, if not once,
            such as `{"critic": 5}`. Skipped steps of that name are then skipped updates.

    Example:
        loss_scale = LossScale(Board("logs"))
        model.fit(x, y, callbacks=[loss_scale])
        loss_scale.record()  # {"model": {"final": 32768.0, "skipped_steps": 2}}
    """

    def __init__(self, board, interval=50, first_step=0, report=print, updates_per_step=None):
        super().__init__(first_step)
        self.board = board
        self.interval = interval
        self.report = report
        self.updates_per_step = dict(updates_per_step or {})
        self._optimizers = {}
        self._followed = {}  # name -> _Followed
        self._logged_at = first_step or None  # of a run that goes on: by the process before

    def record(self):
        """What the latest reading says, None before the first `fit` and for a model without scale.

        Returns:
            `{name: {"final": the scale, "skipped_steps": steps since the run began}}`;
            `skipped_steps` is None where the optimizer advanced more often than
            `updates_per_step` says. Exact after `fit`, at most 10 steps old during it.
        """
        return {
            name: {"final": followed.scale, "skipped_steps": followed.skipped_steps}
            for name, followed in self._followed.items()
        } or None

    def on_train_begin(self, logs=None):
        self._optimizers = loss_scaling_optimizers(self.model)
        for name, optimizer in self._optimizers.items():
            if name not in self._followed:
                self._followed[name] = _Followed(self.updates_per_step.get(name, 1))
            self._followed[name].begin(self.steps_done, *_read(optimizer))

    def on_steps_end(self, executed, logs):
        if not self._optimizers:
            return
        at_point = self.passed_multiple_of(self.interval, executed)
        if at_point or self.passed_multiple_of(READ_EVERY, executed):
            self._read_all()
        if at_point:
            self._log()

    def on_train_end(self, logs=None):
        if self._optimizers and self._logged_at != self.steps_done:
            self._read_all()
            self._log()
        self._optimizers = {}

    def _read_all(self):
        for name, optimizer in self._optimizers.items():
            followed = self._followed[name]
            followed.read(self.steps_done, *_read(optimizer))
            for what in followed.warnings():
                self.report(f"warning: step {self.steps_done}: the loss scale of {name} {what}")

    def _log(self):
        values = {}
        for name, followed in self._followed.items():
            values[f"loss_scale/{name}"] = followed.scale
            values[f"loss_scale/skipped_steps_{name}"] = followed.skipped_steps
        if self.board is not None:
            self.board.scalars(values, self.steps_done)
        self._logged_at = self.steps_done


class _Followed:
    """One optimizer's readings.

    Arguments:
        updates_per_step: how often a training step applies the optimizer.
    """

    def __init__(self, updates_per_step):
        self.scale = None
        self.skipped_steps = 0
        self._updates_per_step = updates_per_step
        self._missing_before = None  # attempts that `iterations` lacks and that were no skips
        self._readings = collections.deque()  # (step, skipped), of the window
        self._is_below_1 = False
        self._skips_often = False

    def begin(self, step, scale, iterations):
        """Takes up counting as a `fit` begins, whatever the optimizer did before."""
        missing = step * self._updates_per_step - iterations
        if self._missing_before is not None:
            self._missing_before = missing - (self.skipped_steps or 0)
        elif iterations == 0 or missing < 0:
            self._missing_before = missing
        else:
            self._missing_before = 0
        self.read(step, scale, iterations)

    def read(self, step, scale, iterations):
        self.scale = scale
        skipped = step * self._updates_per_step - iterations - self._missing_before
        self.skipped_steps = skipped if skipped >= 0 else None
        self._readings.append((step, skipped))
        while len(self._readings) > 1 and self._readings[1][0] <= step - WINDOW:
            self._readings.popleft()

    def warnings(self):
        """Conditions that begin with the latest reading, each the end of a sentence."""
        was_below_1, self._is_below_1 = self._is_below_1, self.scale < 1
        if self._is_below_1 and not was_below_1:
            yield (
                f"fell to {self.scale:g}: below 1 it shrinks gradients that float16 holds too "
                "small already; the loss or a gradient is often not finite"
            )
        (first_step, first_skipped), (step, skipped) = self._readings[0], self._readings[-1]
        # Early in a run fewer steps than the window are known; the others were not skipped.
        updates = max(step - first_step, WINDOW) * self._updates_per_step
        share = (skipped - first_skipped) / updates
        if share > 1 / 2 and not self._skips_often:
            self._skips_often = True
            yield (
                f"skipped {skipped - first_skipped} of the last {updates} updates: their gradients "
                "were not finite; a lower learning rate or clipped gradients may help"
            )
        elif share <= 1 / 4:
            self._skips_often = False


def loss_scaling_optimizers(model):
    """Every `keras.optimizers.LossScaleOptimizer` (or subclass) that a model holds, by name.

    Looked for in the model's attributes, in lists, tuples and dictionaries there, and in models
    within the model. The name is made of the attribute, the key and the names on the way, each
    without the word "optimizer", joined by "_":

    | held as | name |
    |---|---|
    | `generator_optimizer`, `optimizer_generator`, `optimizers["generator"]` | generator |
    | `optimizer`, as `compile` sets it | model |
    | `optimizers[0]` | 0 |
    | `critic.optimizer`, of a model within the model | critic |

    An optimizer held twice is listed once, by its public name; a name taken already gets a number.
    """
    found, seen = {}, set()

    def visit(thing, path):
        if id(thing) in seen:
            return
        if isinstance(thing, keras.optimizers.LossScaleOptimizer):
            seen.add(id(thing))
            name = "_".join(filter(None, map(_without_optimizer, path))) or "model"
            numbered = (f"{name}_{number}" for number in itertools.count(2))
            found[next(n for n in itertools.chain([name], numbered) if n not in found)] = thing
        elif isinstance(thing, keras.Model | dict | list | tuple):
            seen.add(id(thing))
            for key, value in _members(thing):
                visit(value, (*path, key))

    visit(model, ())
    return found


def _members(thing):
    if isinstance(thing, list | tuple):
        return list(enumerate(thing))
    if isinstance(thing, dict):
        return list(thing.items())
    # `_self_...` is TensorFlow's list of the same attributes; private ones come last, so that an
    # optimizer behind a property goes by the public name if there is one.
    named = [(key, value) for key, value in vars(thing).items() if not key.startswith("_self_")]
    return sorted(named, key=lambda item: (item[0].startswith("_"), item[0] == "_layers"))


def _without_optimizer(key):
    words = str(key).replace("optimizers", "").replace("optimizer", "").split("_")
    return "_".join(filter(None, words))


def _read(optimizer):
    """(scale, steps that were not skipped)."""
    # Not `optimizer.iterations`, which counts whole rounds if gradients are accumulated. `.value`,
    # because under a distribution strategy the Keras variable itself has no one value.
    iterations = optimizer.inner_optimizer.variables[0].value
    scale = optimizer.dynamic_scale.value if optimizer.built else optimizer.initial_scale
    return float(ops.convert_to_numpy(scale)), int(ops.convert_to_numpy(iterations))
