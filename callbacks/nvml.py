"""Counters of NVIDIA GPUs, read through NVML (package nvidia-ml-py).

Nothing here raises because of what a machine lacks: a counter that cannot be read is None with a
reason, never 0.

Source of the calls: NVML API Reference Guide, "Device Queries" and "GPM Functions".
"""

import contextlib
import math
import os
import time
from typing import Any, NamedTuple

# NVML counters behind the GPM are refreshed every tenth of a second (NVML guide, GPM Functions).
MIN_WINDOW_SECONDS = 0.1

# Return codes of nvml.h for which the library's own words do not help.
_REASONS = {
    3: "this GPU does not report it",
    4: "this process has no permission to read it",
    9: "the NVIDIA driver is not loaded",
    12: "the NVIDIA driver's library libnvidia-ml is not on this machine",
    13: "the NVIDIA driver is too old to report it",
    18: "the NVIDIA driver was replaced since it was loaded; restart the machine",
}


class Reading(NamedTuple):
    """A value, or None and one line that says why there is none."""

    value: Any
    reason: str | None = None


class Gpus:
    """The NVIDIA GPUs that this process may use, open for reading their counters.

    Plain values until `open` and after `close`, so that it can be copied before training.

    Arguments:
        visible_devices: the GPUs in use, written as in CUDA_VISIBLE_DEVICES: indices or beginnings
            of UUIDs with commas between. None takes that variable, or all GPUs if it is not set.

    Example:
        with Gpus() as gpus:
            joules, reason = gpus.energy_joules()
    """

    def __init__(self, visible_devices=None):
        self.visible_devices = visible_devices
        self.reason = "NVML was not opened"
        self._nvml = None
        self._devices = []

    def open(self):
        """Finds the GPUs; afterwards `reason` is None, or says why there are none to read."""
        self.close()
        try:
            import pynvml
        except ImportError:
            self.reason = "the package nvidia-ml-py is not installed (pip install nvidia-ml-py)"
            return self
        try:
            pynvml.nvmlInit()
        except (pynvml.NVMLError, OSError) as error:
            self.reason = _explain(error)
            return self
        self._nvml, self.reason = pynvml, None
        visible = self.visible_devices
        if visible is None:
            visible = os.environ.get("CUDA_VISIBLE_DEVICES")
        order = os.environ.get("CUDA_DEVICE_ORDER")
        try:
            self._devices = _visible(pynvml, visible, order)
        except (pynvml.NVMLError, _UnavailableError) as error:
            self.close(_explain(error))
        else:
            if not self._devices:
                self.close("no NVIDIA GPU is visible to this process")
        return self

    def close(self, reason="NVML was closed"):
        """Lets go of the library; readings are None from here on."""
        if self._nvml is None:
            return
        nvml, self._nvml, self._devices, self.reason = self._nvml, None, [], reason
        with contextlib.suppress(nvml.NVMLError):  # a driver that has gone holds nothing
            nvml.nvmlShutdown()

    def __enter__(self):
        return self.open()

    def __exit__(self, *exception):
        self.close()

    def energy_joules(self):
        """`Reading` of the energy that the GPUs have taken since the driver was loaded, summed.

        Only differences mean something. GPUs before Volta do not count it; their power is not
        integrated in its place, since it would have to be sampled all the time.
        """
        millijoules = self.of_each(
            lambda nvml, device: nvml.nvmlDeviceGetTotalEnergyConsumption(device)
        )
        if millijoules.value is None:
            return Reading(None, f"energy: {millijoules.reason}")
        return Reading(sum(millijoules.value) / 1000)

    def of_each(self, read):
        """`Reading` of the list of `read(pynvml, device)` for every GPU in use.

        One GPU that cannot be read makes the whole None: a sum over some would be wrong.
        """
        if self._nvml is None:
            return Reading(None, self.reason)
        try:
            return Reading([read(self._nvml, device) for device in self._devices])
        except (self._nvml.NVMLError, _UnavailableError, AttributeError) as error:
            return Reading(None, _explain(error))


class TensorActivity:
    """Measures how busy the tensor pipes were in a window of time, from hardware counters.

    Needs no profiler and no kernel names. The counters (GPM) exist on Hopper and newer.

    Arguments:
        gpus: `Gpus`, opened by the caller.
        clock: seconds, monotonic.

    Example:
        activity = TensorActivity(gpus)
        activity.start()
        ...  # at least a tenth of a second of training
        percent, reason = activity.stop()
    """

    def __init__(self, gpus, clock=time.monotonic):
        self.gpus = gpus
        self._clock = clock
        self._begin = None
        self._problem = "the window was not started"
        self._samples = []  # (pynvml, sample), to be freed

    def start(self):
        """Begins a window; one that was open is dropped."""
        self._free()
        self._begin = self.gpus.of_each(self._sample)
        self._problem = self._begin.reason
        self._begin_time = self._clock()

    def stop(self):
        """Ends the window.

        Returns:
            `Reading` of the percentage of time in which the SMs' tensor pipes were active, 0 to
            100, mean over the GPUs in use.
        """
        try:
            percent = self._measure()
        finally:
            self._free()
            self._begin, self._problem = None, "the window was not started"
        if percent.value is None:
            return Reading(None, f"tensor pipe activity: {percent.reason}")
        return percent

    def _measure(self):
        if self._problem is not None:
            return Reading(None, self._problem)
        seconds = self._clock() - self._begin_time
        if seconds < MIN_WINDOW_SECONDS:
            return Reading(
                None,
                f"the window of {seconds:.3f} s is shorter than the {MIN_WINDOW_SECONDS} s in "
                "which the counters are refreshed",
            )
        end = self.gpus.of_each(self._sample)
        if end.value is None:
            return end
        pairs = iter(zip(self._begin.value, end.value, strict=True))
        percents = self.gpus.of_each(lambda nvml, device: _tensor_percent(nvml, *next(pairs)))
        if percents.value is None:
            return percents
        return Reading(sum(percents.value) / len(percents.value))

    def _sample(self, nvml, device):
        if not nvml.nvmlGpmQueryDeviceSupport(device).isSupportedDevice:
            raise _UnavailableError("this GPU has no such counters (Hopper and newer have)")
        sample = nvml.nvmlGpmSampleAlloc()
        self._samples.append((nvml, sample))
        nvml.nvmlGpmSampleGet(device, sample)
        return sample

    def _free(self):
        for nvml, sample in self._samples:
            with contextlib.suppress(nvml.NVMLError):  # NVML may have been closed in between
                nvml.nvmlGpmSampleFree(sample)
        self._samples = []


class _UnavailableError(Exception):
    """Something that NVML answers without an error and that yields no number."""


def _tensor_percent(nvml, begin, end):
    request = nvml.c_nvmlGpmMetricsGet_t()
    request.version = nvml.NVML_GPM_METRICS_GET_VERSION
    request.numMetrics = 1
    request.sample1 = begin
    request.sample2 = end
    request.metrics[0].metricId = nvml.NVML_GPM_METRIC_ANY_TENSOR_UTIL
    metric = nvml.nvmlGpmMetricsGet(request).metrics[0]
    if metric.nvmlReturn != nvml.NVML_SUCCESS:
        raise nvml.NVMLError(metric.nvmlReturn)
    if not math.isfinite(metric.value):
        raise _UnavailableError("the counters gave no number")
    return metric.value


def _visible(nvml, visible, order):
    """Handles of the GPUs that CUDA gives this process.

    As in the CUDA Programming Guide, "CUDA Environment Variables": the first entry that names no
    GPU ends the list.
    """
    everything = [
        nvml.nvmlDeviceGetHandleByIndex(index) for index in range(nvml.nvmlDeviceGetCount())
    ]
    if visible is None:
        return everything
    devices = []
    for entry in map(str.strip, visible.split(",")):
        if entry.isdecimal():
            found = everything[int(entry) : int(entry) + 1]
            _check_order(nvml, everything, order)
        elif entry.startswith("MIG-"):
            found = [nvml.nvmlDeviceGetHandleByUUID(entry)]
        elif entry.startswith("GPU-"):
            found = [d for d in everything if nvml.nvmlDeviceGetUUID(d).startswith(entry)]
        else:
            found = []
        if len(found) != 1:
            break
        devices += found
    return devices


def _check_order(nvml, devices, order):
    """CUDA numbers the fastest GPU 0 unless told otherwise, NVML goes by PCI address."""
    if order == "PCI_BUS_ID" or len({nvml.nvmlDeviceGetName(device) for device in devices}) < 2:
        return
    raise _UnavailableError(
        "CUDA_VISIBLE_DEVICES numbers GPUs of different kinds; set CUDA_DEVICE_ORDER=PCI_BUS_ID "
        "to make plain which are meant"
    )


def _explain(error):
    if isinstance(error, AttributeError):
        return f"the package nvidia-ml-py is too old: {error}"
    return _REASONS.get(getattr(error, "value", None), str(error))
