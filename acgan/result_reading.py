"""Reads runs' records into `acgan.results.Result`, checking what is in them."""

from dataclasses import dataclass
from pathlib import Path

from acgan.errors import UserError
from acgan.results import Result
from acgan.runs import SWEEP_FILE, read_record
from callbacks.tensor_cores import gpus

_NAMES = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
_NAMES |= {list: "a list", dict: "an object"}
_LARGEST_INT = 2**53
_LARGEST = 1e300  # numbers beyond it, NaN among them, are not what anything measured


@dataclass(frozen=True)
class Results:
    """The `runs` found, a tuple of `Result`, and in `left_out` a line for each unreadable one."""

    runs: tuple
    left_out: tuple


def read_results(folders):
    """Reads every run in some folders, at any depth; a run found twice counts once.

    Arguments:
        folders: paths of runs, of sweeps, or of folders with such in them.

    Raises:
        UserError: a folder does not exist, or there is no readable run in any of them.
    """
    records = {}
    for folder in map(Path, folders):
        if not folder.is_dir():
            raise UserError(f"{folder} is not a folder: name the folder of a run or of a sweep")
        found = sorted(folder.rglob("run.json"))
        if not found:
            raise UserError(f"{folder} holds no run: no run.json is in it")
        records.update({path.resolve(): path for path in found})
    runs, left_out = [], []
    for path in records.values():
        try:
            runs.append(read_result(path, sweep_of(path.parent)))
        except UserError as error:
            left_out.append(str(error))
    if not runs:
        more = f" ({len(left_out) - 1} more can't either)" if len(left_out) > 1 else ""
        raise UserError(f"no run can be read: {left_out[0]}{more}")
    return Results(tuple(runs), tuple(left_out))


def read_result(path, sweep=None):
    """The `Result` of one run.json.

    Arguments:
        path: the file.
        sweep: the sweep's folder, for runs of a sweep.

    Raises:
        UserError: it is not a record, or one of its fields is not what a run writes.
    """
    get = _Fields(path, read_record(path))
    gpu_name, on_gpu = get("hardware.gpu_name", str), get("hardware.device", str) == "GPU"
    name = gpu_name if on_gpu else get("hardware.cpu_name", str)
    if name is None or get("resolved", dict) is None:
        message = get("message", str)
        raise UserError(
            f"{path} has no measurements: the run is '{get('status', str)}'"
            + (f" ({message})" if message else "")
        )
    if get("resolved.policy_changes", list):
        raise UserError(f"{path} was trained in more than one policy: it can't be compared")
    if get("rollbacks", list):
        raise UserError(f"{path} went back to lower learning rates: it can't be compared")
    number = get("hardware.gpu_count" if on_gpu else "hardware.cpu_count", int)
    return Result(
        folder=Path(path).parent,
        sweep=sweep,
        repeat=_repeat(Path(path).parent.name) if sweep else None,
        started=get("started", str),
        status=get.must("status", str),
        failure=get("failure", str),
        message=get("message", str),
        device=device_name(
            name, number, on_gpu, get("resolved.replicas", int), get("resolved.workers", int)
        ),
        on_gpu=on_gpu,
        gpu_count=number if on_gpu else None,
        machines=get("resolved.workers", int) or 1,
        gpu_name=gpu_name,
        compute_capability=_compute_capability(get),
        cpu_features=get.all_of("hardware.cpu_features", str),
        config=get.must("config", dict),
        dataset=Path(get.must("config.dataset", str)).name,  # folders differ between machines
        class_names=get.all_of("resolved.class_names", str),
        image_shape=get.all_of("resolved.image_shape", int),
        network=get.must("config.network", str),
        width=get("config.width", int),
        latent_dim=get.must("config.latent_dim", int),
        jit_compile=get.must("resolved.jit_compile", bool),
        deterministic=get.must("config.deterministic", bool),
        tensor_float_32=get("resolved.tensor_float_32", bool),
        onednn=get("resolved.onednn", bool),
        tensorflow=get.must("hardware.tensorflow", str),
        policy=get.must("resolved.policy", str),
        batch_size=get.must("config.batch_size", int, above=0),
        seed=get.must("config.seed", int),
        steps=get.must("steps", int),
        train_seconds=get("seconds.train", float),
        total_seconds=get("seconds.total", float),
        step_ms=get("step_time_ms.mean", float, above=0),
        step_ms_p50=get("step_time_ms.p50", float),
        step_ms_p95=get("step_time_ms.p95", float),
        measured_steps=get("step_time_ms.measured_steps", int),
        mfu_percent=get("mfu_percent", float),
        kernel_time_percent=get("tensor_cores.kernel_time_percent", float),
        eligible_time_percent=get("tensor_cores.eligible_time_percent", float),
        efficiency_percent=get("tensor_cores.efficiency_percent", float),
        cast_time_percent=get("tensor_cores.cast_time_percent", float),
        kernel_ms_per_step=get("tensor_cores.kernel_ms_per_step", float),
        tensor_cores_reason=get("tensor_cores.reason", str),
        usd_per_hour=get("cost.usd_per_hour", float, above=0),
        price_source=get("cost.price_source", str),
        price_reason=get("reasons.cost", str),
        usd_total=get("cost.usd_total", float),
        wh_per_1000_images=get("energy.wh_per_1000_images", float),
        skipped_steps_generator=get("loss_scale.generator.skipped_steps", int),
        skipped_steps_discriminator=get("loss_scale.discriminator.skipped_steps", int),
        class_accuracy=get("quality.class_accuracy", float),
        fid=get("quality.fid", float),
        fid_floor=get("quality.fid_floor", float),
        last_class_accuracy=get("quality.last.class_accuracy", float),
        last_fid=get("quality.last.fid", float),
        history=_history(get),
    )


def sweep_of(folder):
    """The sweep's folder that a run's folder is in, or None."""
    return next((f for f in Path(folder).resolve().parents if (f / SWEEP_FILE).exists()), None)


def device_name(name, number, on_gpu, replicas=None, machines=None):
    """GPUs or CPUs in a few words.

    Arguments:
        name: of one of them.
        number: how many there are.
        on_gpu: whether they are GPUs.
        replicas: how many of the GPUs train; None for all.
        machines: on how many machines they are; None for one.

    Returns:
        Such as "2 x Tesla T4", "1 of 4 x Tesla T4" or "AMD EPYC (16 CPUs) on 2 machines".
    """
    if on_gpu:
        training = f"{replicas} of " if replicas and number and replicas < number else ""
        text = f"{training}{number} x {name}" if number and number > 1 else name
    else:
        text = f"{name} ({number} CPU{'s' * (number > 1)})" if number else name
    return f"{text} on {machines} machines" if machines and machines > 1 else text


def _repeat(name):
    """The number at the end of a sweep's run's name."""
    number = name.rpartition("-")[2]
    return int(number) if number.isdecimal() and len(number) < 9 else None


def _compute_capability(get):
    value = get("hardware.compute_capability", str)
    try:
        gpus.capability(value)
    except ValueError:
        raise get.damaged("hardware.compute_capability", value, "such as '7.5'") from None
    return value


def _history(get):
    history = get("quality.history", list) or ()
    judgements = [_Fields(get.path, judgement, "quality.history.") for judgement in history]
    return tuple(
        (
            judgement.must("step", int),
            judgement.must("seconds", float),
            judgement.must("fid", float),
        )
        for judgement in judgements
        if judgement("fid", float) is not None
    )


class _Fields:
    """Typed access to a record's fields by their path, such as "step_time_ms.mean"."""

    def __init__(self, path, record, prefix=""):
        self.path = path
        self._record = record
        self._prefix = prefix

    def __call__(self, name, kind, above=None):
        """The field's value, None if it or what it is in is null or missing."""
        value = self._record
        for part in name.split("."):
            if value is None:
                return None
            if not isinstance(value, dict):
                raise self.damaged(name, value, "an object")
            value = value.get(part)
        if value is None:
            return None
        if kind is float and type(value) is int and abs(value) <= _LARGEST:
            value = float(value)
        if type(value) is not kind or (kind is float and not abs(value) <= _LARGEST):
            raise self.damaged(name, value, _NAMES[kind])
        if kind is int and abs(value) > _LARGEST_INT:
            raise self.damaged(name, value, f"a number of at most {_LARGEST_INT}")
        if above is not None and not value > above:
            raise self.damaged(name, value, f"above {above}")
        return value

    def must(self, name, kind, above=None):
        """The value of a field that every run has."""
        value = self(name, kind, above)
        if value is None:
            raise self.damaged(name, None, _NAMES[kind])
        return value

    def all_of(self, name, kind):
        """The values of a list that every run has, all of one kind, as a tuple."""
        values = self.must(name, list)
        for index, value in enumerate(values):
            if type(value) is not kind:
                raise self.damaged(f"{name}[{index}]", value, _NAMES[kind])
        return tuple(values)

    def damaged(self, name, value, wanted):
        """The error for a field that is not what a run writes."""
        return UserError(f"{self.path} is damaged: {self._prefix}{name} is {value!r}, not {wanted}")
