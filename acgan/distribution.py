"""Which devices share a run's batches."""

import contextlib
import functools
from dataclasses import dataclass

import tensorflow as tf

from acgan.errors import UserError


@dataclass(frozen=True)
class Distribution:
    """The devices that train one run together; each has a replica of the networks.

    Attributes:
        strategy: a `tf.distribute.Strategy`; None if one device trains.
        replicas: how many devices train, on all machines.
        local_replicas: how many of them are this process's.
        first_replica: the number of the first of those.
        workers: how many processes train.
    """

    strategy: tf.distribute.Strategy | None = None
    replicas: int = 1
    local_replicas: int = 1
    first_replica: int = 0
    workers: int = 1

    @property
    def is_chief(self):
        """Whether this is the process that writes the run's folder and judges."""
        return self.first_replica == 0

    def whole(self, hardware):
        """The hardware of all processes together, where this one's is known and all are alike.

        Arguments:
            hardware: as `callbacks.hardware.detect` returns it.
        """
        counts = {name: hardware[name] for name in ("gpu_count", "cpu_count")}
        return hardware | {name: n and n * self.workers for name, n in counts.items()}

    def scope(self):
        """The block in which networks, optimizers and model are built.

        With several processes each variable's value is sent by the chief: all of them must build
        the same variables in the same order, and none may build others in here.
        """
        return self.strategy.scope() if self.strategy else contextlib.nullcontext()

    def any_worker(self, *flags):
        """For each of some flags, whether it is true in any process.

        All processes must ask for as many flags at the same step: the first waits for the last.
        What ends a training (a limit, Ctrl-C) has to be decided by this, since a process that goes
        on alone waits for ever.

        Returns:
            A tuple of bools.
        """
        return tuple(total > 0 for total in self.sums(*flags))

    def from_chief(self, number=0):
        """A number of the chief's, in every process; what the others give is ignored.

        All processes must call this at the same step.
        """
        return self.sums(number if self.is_chief else 0)[0]

    def sums(self, *numbers):
        """For each of some numbers its sum over all processes, everywhere the same to the last bit.

        All processes must call this with as many numbers at the same step: the first waits for the
        last.

        Returns:
            A tuple of floats.
        """
        if self.workers == 1:
            return tuple(map(float, numbers))
        total = self._total(tf.constant(numbers, tf.float64)) / self.local_replicas
        return tuple(total.numpy().tolist())

    def copy_from_chief(self, variables):
        """Gives variables of the scope the values that they have in the chief, in every process.

        All processes must call this with the same variables at the same step. The values are the
        same to the last bit.

        Arguments:
            variables: `keras.Variable`, float32 or integers of 32 bits or small ones of more.
        """
        if self.workers == 1:
            return

        def in_replica():
            context = tf.distribute.get_replica_context()
            is_first = tf.equal(context.replica_id_in_sync_group, 0)
            for variable in variables:
                value = _as_numbers(tf.convert_to_tensor(variable))
                own = tf.where(is_first, value, tf.zeros_like(value))
                variable.assign(_from_numbers(context.all_reduce("SUM", own), variable.dtype))

        tf.function(lambda: self.strategy.run(in_replica))()

    @functools.cached_property
    def _total(self):
        """A function from a vector to its sum over all replicas."""

        def in_replica(values):
            # The copy has a device, which TensorFlow (2.21) needs; an argument has none.
            return tf.distribute.get_replica_context().all_reduce("SUM", tf.identity(values))

        @tf.function
        def total(values):
            sums = self.strategy.run(in_replica, args=(values,))
            return self.strategy.experimental_local_results(sums)[0]

        return total


ONE_DEVICE = Distribution()


def resolve(distribute, cluster, batch_size, jit_compile=False, devices=None):
    """The `Distribution` of a run.

    With several processes this must come before TensorFlow has run or placed anything, so before
    any tensor and before `tf.config.list_logical_devices`; physical devices may have been listed.
    Only then can it start the servers by which they exchange gradients. It returns when all
    processes have called it.

    Arguments:
        distribute: "none"; "mirrored": all local GPUs; "multi_worker": all GPUs of a cluster;
            "auto": the cluster if there is one, else all local GPUs if there are several.
        cluster: as `acgan.workers.cluster.find_cluster` returns it.
        batch_size: real images per training step, on all devices together.
        jit_compile: whether the training step is to be compiled with XLA.
        devices: the names of the local devices; None for the GPUs.

    Raises:
        UserError: what was asked for can't be had.
    """
    if devices is None:
        gpus = tf.config.list_physical_devices("GPU")
        devices = [f"GPU:{number}" for number in range(len(gpus))]
    if distribute == "mirrored" and len(devices) < 2:
        raise UserError(
            f"--distribute=mirrored needs several GPUs, and TensorFlow sees {len(devices)}: leave "
            "it out"
        )
    local = 1 if distribute == "none" else max(1, len(devices))
    workers = len(cluster.workers) if cluster else 1
    replicas = workers * local
    if replicas == 1:
        return ONE_DEVICE
    if jit_compile:
        raise UserError(
            f"--jit_compile can't be used on {replicas} devices: leave it out, or train on one "
            "with --distribute=none"
        )
    share(batch_size, replicas)
    if cluster is None:
        return Distribution(_mirrored(devices), replicas, local)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    return Distribution(strategy, replicas, local, cluster.index * local, workers)


def _mirrored(devices):
    # On CPUs (two of them stand for two GPUs in tests) not by collectives, which two strategies in
    # one process mix up: TensorFlow (2.21) numbers them anew in each.
    on_cpu = any("CPU" in device for device in devices)
    return tf.distribute.MirroredStrategy(
        list(devices), tf.distribute.ReductionToOneDevice() if on_cpu else None
    )


def share(batch_size, replicas):
    """Images per replica in a step.

    Raises:
        UserError: the batch can't be shared evenly.
    """
    if batch_size % replicas:
        below = batch_size // replicas * replicas
        sizes = f"{below} or {below + replicas}" if below else str(replicas)
        raise UserError(
            f"--batch_size={batch_size} can't be shared evenly by {replicas} devices: choose "
            f"{sizes}"
        )
    return batch_size // replicas


def _as_numbers(tensor):
    """Whole numbers of float64 that stand for a tensor; every sum with zeros leaves them as is."""
    if tensor.dtype == tf.float32:  # by its bits: TensorFlow takes tiny numbers for zero
        tensor = tf.bitcast(tensor, tf.int32)
    return tf.cast(tensor, tf.float64)


def _from_numbers(numbers, dtype):
    if dtype == "float32":
        return tf.bitcast(tf.cast(numbers, tf.int32), tf.float32)
    return tf.cast(numbers, dtype)
