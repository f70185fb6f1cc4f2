"""What a sweep measures: its runs, their names and flags."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from acgan.errors import UserError
from acgan.runs import SWEEP_FILE, to_json
from callbacks.files import replacing

FORMAT = 1
POLICIES = ("float32", "mixed_float16", "mixed_bfloat16")
DEFAULT_STEPS = 60
_UNSAVED = {"checkpoint_every": 0, "checkpoint_minutes": 0.0}  # an interrupted run begins anew
PROBE_STEPS = 20  # of a run that only looks whether its batch fits; enough for a step time


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The runs of a sweep.

    Attributes:
        policies: names of dtype policies, in the order in which they take turns.
        batch_sizes: from small to large.
        repeats: runs of each policy at each batch size.
        objective: name of the figure that the best batch size is chosen by.
        find_max_batch: whether to search for the largest batch size that fits, too.
        common: flags of `acgan.train` that all runs have, values by name.
    """

    policies: tuple
    batch_sizes: tuple
    repeats: int
    objective: str
    find_max_batch: bool
    common: dict

    def runs(self, batch_size):
        """(policy, repeat) of each run at a batch size, in order: A B A B ..."""
        repeats = self.repeats if batch_size in self.batch_sizes else 1
        return [(policy, n) for n in range(1, repeats + 1) for policy in self.policies]

    @staticmethod
    def run_name(batch_size, policy, repeat):
        """Name of a run's folder; names sort as runs should."""
        return f"b{batch_size:05}-{policy}-{repeat}"

    def run_flags(self, policy, batch_size):
        """Flags of one run, values by name."""
        flags = {**self.common, **_UNSAVED, "policy": policy, "batch_size": batch_size}
        if batch_size not in self.batch_sizes:
            flags |= {"steps": min(flags["steps"] or PROBE_STEPS, PROBE_STEPS), "evaluate": False}
        return flags

    def digest(self):
        """A short text that is the same for the same plan alone."""
        return hashlib.sha256(to_json(asdict(self)).encode()).hexdigest()[:16]


def make_plan(values):
    """The `Plan` that a sweep's flags ask for.

    Arguments:
        values: values by name of the flags in `flags/sweeping.py`, and of those that all runs have.

    Raises:
        UserError: a policy or a batch size is none, or is there twice.
    """
    values = dict(values)
    policies = _distinct("policies", values.pop("policies"))
    if unknown := [policy for policy in policies if policy not in POLICIES]:
        raise UserError(f"--policies: {unknown[0]!r} is none of {', '.join(POLICIES)}")
    sizes = values.pop("batch_sizes")
    if wrong := [size for size in sizes if not size.isdecimal() or int(size) < 1]:
        raise UserError(f"--batch_sizes: {wrong[0]!r} is not a whole number from 1")
    sizes = _distinct("batch_sizes", [int(size) for size in sizes])
    own = {name: values.pop(name) for name in ("repeats", "objective", "find_max_batch")}
    timed = values["minutes"] is not None or values["epochs"] is not None
    if values["steps"] is None and not timed:
        values["steps"] = DEFAULT_STEPS
    if values["evaluate"] is None:
        values["evaluate"] = values["minutes"] is not None
    return Plan(policies=policies, batch_sizes=tuple(sorted(sizes)), common=values, **own)


def keep_plan(plan, folder):
    """Notes the plan in a sweep's folder, which is made if need be, for `check_plan` to compare.

    Raises:
        UserError: as `check_plan`, or the folder can't be written.
    """
    check_plan(plan, folder)
    path = Path(folder) / SWEEP_FILE
    if path.exists():
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as partial:
            partial.write_text(to_json({"format": FORMAT, "plan": asdict(plan)}))
    except OSError as error:
        raise UserError(
            f"--out={folder} can't be written ({error.strerror}): choose another folder"
        ) from error


def check_plan(plan, folder):
    """Checks that a folder is new, or that of a sweep with the same plan.

    Raises:
        UserError: another sweep, or something else, is there.
    """
    folder = Path(folder)
    path = folder / SWEEP_FILE
    if not path.exists():
        if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
            raise UserError(f"--out={folder} exists and is no sweep: choose another folder")
        return
    before = _read_plan(path)
    now = json.loads(to_json(asdict(plan)))
    flags_before, flags_now = _as_flags(before), _as_flags(now)
    for name in sorted({*flags_before, *flags_now}):
        if flags_before.get(name) != flags_now.get(name):
            raise UserError(
                f"--out={folder} is a sweep with --{name}={_as_text(flags_before.get(name))}, not "
                f"{_as_text(flags_now.get(name))}: give the same flags to go on with it, or "
                "another folder"
            )


def read_plan(folder):
    """The `Plan` noted in a sweep's folder.

    Raises:
        UserError: there is none that can be read.
    """
    plan = _read_plan(Path(folder) / SWEEP_FILE)
    try:
        plan |= {name: tuple(plan[name]) for name in ("policies", "batch_sizes")}
        return Plan(**plan)
    except (KeyError, TypeError) as error:
        raise UserError(f"{folder} is no sweep whose plan can be read ({error})") from error


def _read_plan(path):
    try:
        content = json.loads(path.read_text())
        plan = content["plan"]
        numbers = (*plan["batch_sizes"], plan["repeats"])
        if (
            content["format"] == FORMAT
            and isinstance(plan["common"], dict)
            and all(type(number) is int for number in numbers)
        ):
            return plan
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    raise UserError(
        f"{path} can't be read as a sweep's plan of format {FORMAT}: choose another --out"
    )


def _as_flags(plan):
    return {**plan, **plan["common"], "common": None}


def _as_text(value):
    return ",".join(map(str, value)) if isinstance(value, list) else value


def _distinct(name, values):
    if not values:
        raise UserError(f"--{name} is empty: give some, separated by commas")
    for value in values:
        if values.count(value) > 1:
            raise UserError(f"--{name}: {value} is given twice")
    return tuple(values)
