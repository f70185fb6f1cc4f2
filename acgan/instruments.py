"""A run's measuring callbacks, and what they add to its record."""

import tensorflow as tf

from acgan.clock import Booked
from acgan.runs import MEASURED
from acgan.workers.energy import AllGpus
from callbacks.cost import Cost
from callbacks.flops import step_flops
from callbacks.gradient_range import GradientRange, NetworkGradients
from callbacks.loss_scale import LossScale
from callbacks.nvml import Gpus, TensorActivity
from callbacks.peak_rates import peak_tflops
from callbacks.step_time import StepTime
from callbacks.tensor_cores.callback import TensorCores
from callbacks.timing import mfu_percent, tflops_per_second

NOT_ASKED = "--noprofile"


class Instruments:
    """Builds the measuring callbacks of `callbacks/` for one run and reads them out.

    Arguments:
        settings: an `acgan.settings.Settings`.
        probe: `probe()` gives the batch that the range of gradients is measured on.
        model: a compiled `acgan.model.ACGAN`.
        policy: name of the Keras dtype policy.
        hardware: as `callbacks.hardware.detect` returns it.
        distribution: an `acgan.distribution.Distribution`.
        together: the run's `acgan.ending_together.EndTogether`.
        pricing: an `acgan.pricing.Pricing`.
        board: a `callbacks.board.Board`.
        clock: the run's `acgan.clock.PartClock`.
        say: called with lines for the user.
        first_step, usd_before, wh_before: steps, USD and watt-hours of a run that goes on.
        step_times: its measured times, see `callbacks.step_time.StepTime`.
    """

    def __init__(
        self,
        settings,
        probe,
        model,
        policy,
        hardware,
        distribution,
        together,
        pricing,
        board,
        clock,
        say,
        first_step=0,
        usd_before=0.0,
        wh_before=0.0,
        step_times=None,
    ):
        self._clock = clock
        self._policy = policy
        self._gpus = distribution.local_replicas
        on_gpu = hardware["device"] == "GPU"
        self._no_energy = None if on_gpu else "no GPU: NVML tells the energy of NVIDIA's alone"
        tf32 = tf.config.experimental.tensor_float_32_execution_enabled()
        self.flops_per_step = step_flops(model, settings.batch_size)
        peak = peak_tflops(hardware["gpu_name"], policy, tf32)
        self.peak_tflops = peak and peak * distribution.replicas
        self.step_time = StepTime(
            board,
            settings.batch_size,
            flops_per_step=self.flops_per_step,
            peak_tflops=self.peak_tflops,
            first_step=first_step,
            state=step_times,
        )
        self.cost = Cost(
            pricing.price,
            board,
            settings.batch_size,
            self.step_time.mean_ms,
            max_usd=settings.max_usd,
            started=clock.started,
            spent_before_usd=usd_before,
            wh_before=wh_before,
            first_step=first_step,
            energy=AllGpus(Gpus(), together) if on_gpu else None,
            price_reason=pricing.reason,
            report=say if on_gpu else _silent,  # nobody rents a CPU to train on by the GPU's price
        )
        self.loss_scale = LossScale(board, first_step=first_step, report=say)
        self.tensor_cores = self.gradient_range = None
        if settings.profile:
            self.tensor_cores = TensorCores(
                board,
                policy,
                settings.batch_size,
                pipe=TensorActivity(Gpus()) if on_gpu else None,
                first_step=first_step,
                report=say,
            )
        if settings.gradient_range_every:
            self.gradient_range = GradientRange(
                acgan_gradients,
                {name: value.numpy() for name, value in probe().items()},
                board,
                settings.gradient_range_every,
                first_step=first_step,
                report=say,
            )

    def callbacks(self):
        """The callbacks, in the order in which they belong into `fit`."""
        rare = [c for c in (self.tensor_cores, self.gradient_range) if c is not None]
        booked = [Booked(callback, self._clock, "profile") for callback in rare]
        return [self.step_time, *booked, self.cost, self.loss_scale]

    def fields(self):
        """The record's fields that these callbacks measure."""
        rates = self.step_time.rates()
        fields = {
            "model_flops_per_step": self.flops_per_step,
            "cost": self.cost.record(),
            "energy": self.cost.energy_record(),
            "loss_scale": self.loss_scale.record(),
        }
        if self.tensor_cores:
            fields["tensor_cores"] = self._tensor_cores_record()
        else:
            fields["tensor_cores"] = {
                **dict.fromkeys(MEASURED["tensor_cores"]),
                "reason": NOT_ASKED,
            }
        if rates:
            fields["step_time_ms"] = {
                "mean": rates.mean_ms,
                "p50": rates.p50_ms,
                "p95": rates.p95_ms,
                "measured_steps": rates.measured_steps,
            }
            fields["images_per_second"] = rates.images_per_second
            tflops = tflops_per_second(self.flops_per_step, rates.mean_ms)
            fields["mfu_percent"] = mfu_percent(tflops, self.peak_tflops)
        return fields

    def _tensor_cores_record(self):
        record = self.tensor_cores.record()
        if (kernel_ms := record["kernel_ms_per_step"]) is not None:  # of all local GPUs together
            record["kernel_ms_per_step"] = kernel_ms / self._gpus
        return record

    def reasons(self):
        """Why fields are None, by name."""
        return {
            "step_time_ms": "no step was measured: the first execution does not count",
            "images_per_second": "no step was measured: the first execution does not count",
            "model_flops_per_step": "a layer is not known to callbacks.flops",
            "mfu_percent": "no peak rate is known for this device in this policy",
            "tensor_cores": self.tensor_cores.reason if self.tensor_cores else NOT_ASKED,
            "cost": self.cost.price_reason,
            "energy": self._no_energy or self.cost.energy_reason,
            "loss_scale": f"{self._policy} needs no loss scaling",
        }


def acgan_gradients(model, batch):
    """Gradients of both networks of an `ACGAN`, for `callbacks.gradient_range.GradientRange`."""
    _, gradients = model.compute_gradients(batch)
    networks = {
        "generator": (model.generator, model.generator_optimizer),
        "discriminator": (model.discriminator, model.discriminator_optimizer),
    }
    return {
        name: NetworkGradients(gradients[name], network.trainable_variables, optimizer)
        for name, (network, optimizer) in networks.items()
    }


def _silent(message):
    pass
