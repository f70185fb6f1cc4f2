"""One of the processes that train together in test_two_workers.py.

python worker_program.py POLICY STEPS HEARTBEAT_PORT FILE: trains under TF_CONFIG, says each step
on standard output, and leaves the values of all variables in FILE, as .npz.
"""

import os
import sys

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from acgan.workers.cluster import find_cluster
from acgan.workers.heartbeat import Heartbeat
from acgan.workers.meeting import meet

SHAPE, CLASSES, LATENT, BATCH = (8, 8, 1), 2, 8, 16


def main(policy, steps, port, file):
    cluster = find_cluster("auto", os.environ)
    met = meet(cluster, {"policy": policy}, b"from the chief", port, say)
    with Heartbeat(cluster, met.channels, end):
        train(cluster, policy, steps, file)
    say(f"done {met.gift.decode()}")


def train(cluster, policy, steps, file):
    import keras
    import numpy as np

    from acgan.distribution import resolve
    from acgan.model import ACGAN
    from acgan.networks import build_discriminator, build_generator
    from acgan.pipeline import distributed_batches
    from acgan.precision import scaled_optimizer
    from callbacks.step_time import StepTime

    distribution = resolve("auto", cluster, BATCH)
    images = np.random.default_rng(0).integers(0, 255, (40, *SHAPE), np.uint8)
    labels = np.tile([0, 1], 20).astype(np.int32)

    def optimizer():
        return scaled_optimizer(keras.optimizers.Adam(1e-3, 0.5), policy)

    with distribution.scope():
        keras.utils.set_random_seed(cluster.index)  # the chief's weights count
        model = ACGAN(
            build_generator("dcgan", SHAPE, CLASSES, LATENT, 8, policy),
            build_discriminator("dcgan", SHAPE, CLASSES, 8, policy),
            dtype=policy,
        )
        model.compile(optimizer(), optimizer())

    class Report(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            say(f"step {batch + 1}: {logs['generator_loss']!r}")
            self.model.reset_metrics()
            # The second worker alone wants to end: both have to.
            (self.model.stop_training,) = distribution.any_worker(
                not distribution.is_chief and batch + 1 >= steps
            )

    data = distributed_batches(distribution, images, labels, CLASSES, BATCH, LATENT, seed=0)
    step_time = StepTime(None, BATCH)
    model.fit(data, verbose=0, shuffle=False, callbacks=[step_time, Report()])
    say(f"{step_time.rates().measured_steps} steps were measured")
    optimizers = (model.generator_optimizer, model.discriminator_optimizer)
    variables = [*model.variables, *(v for o in optimizers for v in o.variables)]
    np.savez(file, *values_of(variables))
    if not distribution.is_chief:
        for variable in variables:
            variable.assign(variable.value * 0 + 3)
    distribution.copy_from_chief(variables)
    with np.load(file) as before:
        kept = zip(before.values(), values_of(variables), strict=True)
        say(f"copied from the chief: {all(np.array_equal(was, now) for was, now in kept)}")


def values_of(variables):
    import keras

    return [keras.ops.convert_to_numpy(variable.value) for variable in variables]


def say(line):
    print(line, flush=True)


def end(line):
    say(f"error: {line}")
    os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
