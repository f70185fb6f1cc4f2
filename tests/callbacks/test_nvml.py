import copy
import sys
from types import SimpleNamespace

import pytest

from callbacks.nvml import Gpus, TensorActivity


class FakeError(Exception):
    def __init__(self, value):
        super().__init__(f"code {value}")
        self.value = value


class FakeGpu(SimpleNamespace):
    """A GPU with the given energy readings in mJ, and tensor activity in percent (None: no GPM)."""

    def __init__(self, millijoules=(), percent=None, name="GPU", uuid="GPU-0", metric_code=0):
        super().__init__(
            millijoules=iter(millijoules),
            percent=percent,
            name=name,
            uuid=uuid,
            metric_code=metric_code,
        )


class FakeNvml:
    """What `callbacks.nvml` uses of pynvml; `failing` gives error codes by function name."""

    NVMLError = FakeError
    NVML_SUCCESS = 0
    NVML_GPM_METRICS_GET_VERSION = 1
    NVML_GPM_METRIC_ANY_TENSOR_UTIL = 5

    def __init__(self, gpus=(), **failing):
        self.gpus = gpus
        self.failing = failing
        self.opened = 0
        self.samples = []
        self.freed = []

    def _check(self, name):
        if name in self.failing:
            raise FakeError(self.failing[name])

    def nvmlInit(self):
        self._check("nvmlInit")
        self.opened += 1

    def nvmlShutdown(self):
        self._check("nvmlShutdown")
        self.opened -= 1

    def nvmlDeviceGetCount(self):
        self._check("nvmlDeviceGetCount")
        return len(self.gpus)

    def nvmlDeviceGetHandleByIndex(self, index):
        return self.gpus[index]

    def nvmlDeviceGetHandleByUUID(self, uuid):
        for gpu in self.gpus:
            if gpu.uuid == uuid:
                return gpu
        raise FakeError(6)

    def nvmlDeviceGetUUID(self, gpu):
        return gpu.uuid

    def nvmlDeviceGetName(self, gpu):
        return gpu.name

    def nvmlDeviceGetTotalEnergyConsumption(self, gpu):
        self._check("nvmlDeviceGetTotalEnergyConsumption")
        return next(gpu.millijoules)

    def nvmlGpmQueryDeviceSupport(self, gpu):
        self._check("nvmlGpmQueryDeviceSupport")
        return SimpleNamespace(isSupportedDevice=int(gpu.percent is not None))

    def nvmlGpmSampleAlloc(self):
        self.samples.append(SimpleNamespace(gpu=None, number=len(self.samples)))
        return self.samples[-1]

    def nvmlGpmSampleGet(self, gpu, sample):
        self._check("nvmlGpmSampleGet")
        sample.gpu = gpu

    def nvmlGpmSampleFree(self, sample):
        self.freed.append(sample.number)

    def c_nvmlGpmMetricsGet_t(self):
        return SimpleNamespace(metrics=[SimpleNamespace()])

    def nvmlGpmMetricsGet(self, request):
        begin, end = request.sample1, request.sample2
        assert (request.version, request.numMetrics, request.metrics[0].metricId) == (1, 1, 5)
        assert begin.gpu is end.gpu
        assert begin.number < end.number
        request.metrics[0].nvmlReturn = begin.gpu.metric_code
        request.metrics[0].value = begin.gpu.percent
        return request


@pytest.fixture(autouse=True)
def no_choice_of_gpus(monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.delenv("CUDA_DEVICE_ORDER", raising=False)


@pytest.fixture
def install(monkeypatch):
    """Puts a `FakeNvml` in the place of pynvml and gives it."""

    def put(gpus=(), **failing):
        fake = FakeNvml(gpus, **failing)
        monkeypatch.setitem(sys.modules, "pynvml", fake)
        return fake

    return put


def clock(*readings):
    return iter(readings).__next__


# Energy


def test_energy_is_the_sum_over_the_gpus_in_joules(install):
    install([FakeGpu([5_000, 8_000]), FakeGpu([70_000, 71_500])])
    with Gpus() as gpus:
        assert gpus.energy_joules() == (5.0 + 70.0, None)
        assert gpus.energy_joules() == (8.0 + 71.5, None)


def test_one_gpu_that_cannot_be_read_makes_no_sum(install):
    fake = install([FakeGpu([5_000]), FakeGpu([])])

    def read(gpu):
        if gpu is fake.gpus[1]:
            raise FakeError(3)
        return next(gpu.millijoules)

    fake.nvmlDeviceGetTotalEnergyConsumption = read
    with Gpus() as gpus:
        assert gpus.energy_joules() == (None, "energy: this GPU does not report it")


def test_the_package_is_absent(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    with Gpus() as gpus:
        value, reason = gpus.energy_joules()
    assert value is None
    assert "nvidia-ml-py is not installed" in reason


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (9, "driver is not loaded"),
        (12, "libnvidia-ml is not on this machine"),
        (18, "driver was replaced since it was loaded"),
        (999, "code 999"),
    ],
)
def test_a_library_that_does_not_open(install, code, reason):
    install([FakeGpu([5_000])], nvmlInit=code)
    with Gpus() as gpus:
        assert reason in gpus.reason
        assert gpus.energy_joules() == (None, f"energy: {gpus.reason}")


def test_no_device(install):
    fake = install([])
    with Gpus() as gpus:
        assert gpus.energy_joules() == (None, "energy: no NVIDIA GPU is visible to this process")
    assert fake.opened == 0


def test_devices_that_cannot_be_counted(install):
    fake = install([FakeGpu([5_000])], nvmlDeviceGetCount=4)
    with Gpus() as gpus:
        assert gpus.reason == "this process has no permission to read it"
    assert fake.opened == 0


def test_a_binding_that_lacks_the_function(install, monkeypatch):
    install([FakeGpu([5_000])])
    monkeypatch.delattr(FakeNvml, "nvmlDeviceGetTotalEnergyConsumption")
    with Gpus() as gpus:
        value, reason = gpus.energy_joules()
    assert value is None
    assert "nvidia-ml-py is too old" in reason


def test_before_opening_and_after_closing_there_is_a_reason(install):
    fake = install([FakeGpu([5_000])])
    gpus = Gpus()
    assert gpus.energy_joules() == (None, "energy: NVML was not opened")
    gpus.open()
    assert fake.opened == 1
    gpus.close()
    assert fake.opened == 0
    assert gpus.energy_joules() == (None, "energy: NVML was closed")


def test_opening_again_closes_first(install):
    fake = install([FakeGpu([5_000])])
    gpus = Gpus().open().open()
    assert fake.opened == 1
    gpus.close()
    assert fake.opened == 0


def test_a_driver_that_went_away_does_not_fail_at_the_end(install):
    install([FakeGpu([5_000])], nvmlShutdown=15)
    gpus = Gpus().open()
    gpus.close()
    assert gpus.reason == "NVML was closed"


def test_a_copy_opens_for_itself(install):
    install([FakeGpu([5_000])])
    gpus = Gpus("0")
    twin = copy.deepcopy(gpus)
    with twin:
        assert twin.energy_joules().value == 5.0
    assert gpus.energy_joules().value is None


# Which GPUs


def four_gpus():
    """Their energies are 1, 10, 100 and 1000 J, so that a sum tells which were counted."""
    uuids = ["GPU-aa11", "GPU-aa22", "GPU-bb33", "GPU-cc44"]
    return [FakeGpu([1000 * 10**i], uuid=uuid) for i, uuid in enumerate(uuids)]


@pytest.mark.parametrize(
    ("visible", "joules"),
    [
        (None, 1 + 10 + 100 + 1000),
        ("0", 1),
        ("1,3", 10 + 1000),
        (" 2 , 0 ", 100 + 1),
        ("GPU-bb33", 100),
        ("GPU-cc", 1000),
        ("GPU-cc44,0", 1000 + 1),
        ("0,7,1", 1),  # what follows an index that is not there does not count
        ("0,-1,1", 1),
        ("1,GPU-aa", 10),  # two GPUs begin like this
    ],
)
def test_only_gpus_in_use_are_counted(install, monkeypatch, visible, joules):
    install(four_gpus())
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    with Gpus() as gpus:
        assert gpus.energy_joules() == (joules, None)


def test_the_argument_goes_before_the_environment(install, monkeypatch):
    install(four_gpus())
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    with Gpus("2") as gpus:
        assert gpus.energy_joules().value == 100


@pytest.mark.parametrize("visible", ["", "-1", "9", "NoDevFiles", "GPU-zz"])
def test_no_gpu_is_in_use(install, visible):
    install(four_gpus())
    with Gpus(visible) as gpus:
        assert gpus.energy_joules() == (None, "energy: no NVIDIA GPU is visible to this process")


def test_a_slice_of_a_gpu(install):
    install([*four_gpus(), FakeGpu([42_000], uuid="MIG-5")])
    with Gpus("MIG-5") as gpus:
        assert gpus.energy_joules().value == 42
    with Gpus("MIG-6") as gpus:
        assert gpus.energy_joules() == (None, "energy: code 6")


def test_numbers_of_different_gpus_need_an_order(install, monkeypatch):
    install([FakeGpu([1_000], name="T4"), FakeGpu([2_000], name="H100")])
    with Gpus("0") as gpus:
        assert "set CUDA_DEVICE_ORDER=PCI_BUS_ID" in gpus.reason
    monkeypatch.setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    with Gpus("0") as gpus:
        assert gpus.energy_joules().value == 1


# Tensor pipe activity


def test_activity_is_the_mean_over_the_gpus(install):
    fake = install([FakeGpu(percent=30.0), FakeGpu(percent=50.0)])
    with Gpus() as gpus:
        activity = TensorActivity(gpus, clock(10.0, 12.0))
        activity.start()
        assert activity.stop() == ((30 + 50) / 2, None)
    assert fake.freed == [0, 1, 2, 3]


def test_no_activity_that_was_measured_is_a_zero(install):
    install([FakeGpu(percent=0.0)])
    with Gpus() as gpus:
        activity = TensorActivity(gpus, clock(10.0, 12.0))
        activity.start()
        assert activity.stop() == (0.0, None)


def test_one_object_measures_several_windows(install):
    fake = install([FakeGpu(percent=30.0)])
    with Gpus() as gpus:
        activity = TensorActivity(gpus, clock(0.0, 1.0, 5.0, 6.0))
        activity.start()
        activity.stop()
        fake.gpus[0].percent = 60.0
        activity.start()
        assert activity.stop().value == 60
        assert activity.stop() == (None, "tensor pipe activity: the window was not started")
    assert fake.freed == [0, 1, 2, 3]


def test_a_window_begun_anew_frees_the_old_one(install):
    fake = install([FakeGpu(percent=30.0)])
    with Gpus() as gpus:
        activity = TensorActivity(gpus, clock(0.0, 1.0, 2.0))
        activity.start()
        activity.start()
        assert fake.freed == [0]
        assert activity.stop().value == 30


def test_gpus_before_hopper_have_no_such_counters(install):
    install([FakeGpu([5_000])])
    with Gpus() as gpus:
        activity = TensorActivity(gpus, clock(0.0, 1.0))
        activity.start()
        value, reason = activity.stop()
    assert value is None
    assert reason == ("tensor pipe activity: this GPU has no such counters (Hopper and newer have)")


@pytest.mark.parametrize(
    ("gpu", "failing", "reason"),
    [
        (FakeGpu(percent=1.0), {"nvmlGpmQueryDeviceSupport": 13}, "driver is too old"),
        (FakeGpu(percent=1.0), {"nvmlGpmSampleGet": 4}, "no permission"),
        (FakeGpu(percent=1.0, metric_code=3), {}, "does not report it"),
        (FakeGpu(percent=float("nan")), {}, "gave no number"),
    ],
)
def test_a_metric_that_cannot_be_read(install, gpu, failing, reason):
    fake = install([gpu], **failing)
    with Gpus() as gpus:
        activity = TensorActivity(gpus, clock(0.0, 1.0))
        activity.start()
        value, said = activity.stop()
    assert value is None
    assert reason in said
    assert sorted(fake.freed) == [sample.number for sample in fake.samples]


def test_a_window_shorter_than_the_counters_refresh(install):
    install([FakeGpu(percent=30.0)])
    with Gpus() as gpus:
        activity = TensorActivity(gpus, clock(10.0, 10.05))
        activity.start()
        value, reason = activity.stop()
    assert value is None
    assert "the window of 0.050 s is shorter than the 0.1 s" in reason


def test_without_nvml_the_reason_is_its_own(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    with Gpus() as gpus:
        activity = TensorActivity(gpus, clock(0.0, 1.0))
        activity.start()
        value, reason = activity.stop()
    assert value is None
    assert "nvidia-ml-py is not installed" in reason


# The package itself


def test_the_real_package_on_this_machine():
    """Without a driver there is a reason; with one, a GPU before Volta may still not count."""
    pynvml = pytest.importorskip("pynvml")
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError_LibraryNotFound:
        with Gpus() as gpus:
            assert "libnvidia-ml is not on this machine" in gpus.reason
            assert gpus.energy_joules() == (None, f"energy: {gpus.reason}")
    else:
        pynvml.nvmlShutdown()
        with Gpus() as gpus:
            value, reason = gpus.energy_joules()
        assert (value is None) != (reason is None)


def test_the_real_package_has_all_that_is_used():
    pynvml = pytest.importorskip("pynvml")
    used = [name for name in vars(FakeNvml) if not name.startswith("_")]
    assert len(used) > 15
    assert [name for name in used if not hasattr(pynvml, name)] == []
    assert pynvml.NVML_GPM_METRIC_ANY_TENSOR_UTIL == FakeNvml.NVML_GPM_METRIC_ANY_TENSOR_UTIL


def test_the_real_structures_carry_the_request(monkeypatch):
    pynvml = pytest.importorskip("pynvml")
    requests = []

    def answer(request):
        requests.append((request.version, request.numMetrics, request.metrics[0].metricId))
        request.metrics[0].value = 37.5
        request.metrics[0].nvmlReturn = pynvml.NVML_SUCCESS
        return request

    for name, replacement in {
        "nvmlInit": lambda: None,
        "nvmlShutdown": lambda: None,
        "nvmlDeviceGetCount": lambda: 1,
        "nvmlDeviceGetHandleByIndex": lambda index: index,
        "nvmlGpmQueryDeviceSupport": lambda gpu: pynvml.c_nvmlGpmSupport_t(isSupportedDevice=1),
        "nvmlGpmSampleAlloc": pynvml.c_nvmlGpmSample_t,
        "nvmlGpmSampleGet": lambda gpu, sample: sample,
        "nvmlGpmSampleFree": lambda sample: None,
        "nvmlGpmMetricsGet": answer,
    }.items():
        monkeypatch.setattr(pynvml, name, replacement)
    with Gpus() as gpus:
        activity = TensorActivity(gpus, clock(0.0, 1.0))
        activity.start()
        assert activity.stop() == (37.5, None)
    assert requests == [(1, 1, 5)]
