"""What a run measured: one `Result` a run.

Every figure that the sweep and the report show is derived here, from the run's record alone.
"""

from dataclasses import dataclass
from pathlib import Path

from acgan.runs import OUT_OF_MEMORY
from callbacks.cost_arithmetic import usd_per_1000_images, usd_per_million_batches

# Fields of a `Result` that are None where nothing was measured.
FIGURES = (
    *("train_seconds", "total_seconds", "step_ms", "step_ms_p50", "step_ms_p95", "measured_steps"),
    *("mfu_percent", "kernel_time_percent", "eligible_time_percent", "efficiency_percent"),
    *("cast_time_percent", "kernel_ms_per_step", "usd_total", "wh_per_1000_images"),
    *("skipped_steps_generator", "skipped_steps_discriminator", "class_accuracy", "fid"),
    *("fid_floor", "last_class_accuracy", "last_fid"),
)
NOT_RUN = "not run"  # status of a run that a sweep left out, since a smaller batch did not fit


@dataclass(frozen=True, kw_only=True)
class Result:
    """One run. What was not measured is None, never 0.

    Attributes:
        folder: the run's folder; `sweep`: the folder of the sweep that it belongs to, or None. Runs
            of one sweep on one machine were measured in turn, in one sitting. `repeat`: which of
            the sweep's runs with its policy and batch size; None outside of sweeps.
        started: when, ISO 8601; None in records of before it was noted.
        status: as in run.json, or `NOT_RUN`; `failure`: None or `OUT_OF_MEMORY`; `message`: why.
        device: name and number of the GPUs or CPUs, such as "Tesla T4", "2 x Tesla T4" or
            "AMD EPYC 7B13 (8 CPUs)".
        gpu_count: GPUs of all machines, None on CPUs; `machines`: how many those are.
        on_gpu, gpu_name, compute_capability, cpu_features: as in the record's `hardware`.
        config: every flag of the run by name.
        dataset, class_names, image_shape, network, width, latent_dim, jit_compile, deterministic,
            tensor_float_32, onednn, tensorflow: with device, policy and batch size all that the
            time of a step depends on.
        step_ms, step_ms_p50, step_ms_p95: steady time of a step.
        kernel_time_percent, eligible_time_percent, efficiency_percent, cast_time_percent,
            kernel_ms_per_step: of the profiled steps; `tensor_cores_reason`: why they are None.
        usd_per_hour: price of the machine; `price_reason`: why it is None.
        class_accuracy, fid: of the best generator; `last_class_accuracy`, `last_fid`: of the last.
        history: a tuple (step, seconds of training, FID) for each judgement.
    """

    folder: Path
    sweep: Path | None
    repeat: int | None
    started: str | None
    status: str
    failure: str | None
    message: str | None
    device: str
    on_gpu: bool
    gpu_name: str | None
    gpu_count: int | None
    machines: int
    compute_capability: str | None
    cpu_features: tuple
    config: dict
    dataset: str
    class_names: tuple
    image_shape: tuple
    network: str
    width: int | None
    latent_dim: int
    jit_compile: bool
    deterministic: bool
    tensor_float_32: bool | None
    onednn: bool | None
    tensorflow: str
    policy: str
    batch_size: int
    seed: int
    steps: int
    train_seconds: float | None
    total_seconds: float | None
    step_ms: float | None
    step_ms_p50: float | None
    step_ms_p95: float | None
    measured_steps: int | None
    mfu_percent: float | None
    kernel_time_percent: float | None
    eligible_time_percent: float | None
    efficiency_percent: float | None
    cast_time_percent: float | None
    kernel_ms_per_step: float | None
    tensor_cores_reason: str | None
    usd_per_hour: float | None
    price_source: str | None
    price_reason: str | None
    usd_total: float | None
    wh_per_1000_images: float | None
    skipped_steps_generator: int | None
    skipped_steps_discriminator: int | None
    class_accuracy: float | None
    fid: float | None
    fid_floor: float | None
    last_class_accuracy: float | None
    last_fid: float | None
    history: tuple

    @property
    def images_per_second(self):
        return None if self.step_ms is None else self.batch_size / self.step_ms * 1000

    @property
    def ms_per_1000_images(self):
        return None if self.step_ms is None else self.step_ms / self.batch_size * 1000

    @property
    def usd_per_million_images(self):
        per_1000 = usd_per_1000_images(self.usd_per_hour, self.step_ms, self.batch_size)
        return None if per_1000 is None else per_1000 * 1000

    @property
    def usd_per_million_batches(self):
        return usd_per_million_batches(self.usd_per_hour, self.step_ms)

    @property
    def fits(self):
        """False if the batch did not fit into memory, or was left out since a smaller did not."""
        return self.failure != OUT_OF_MEMORY and self.status != NOT_RUN
