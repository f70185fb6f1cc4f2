"""The part of a run that trains in every process but the chief: it learns, and writes nothing."""

import tensorflow as tf

from acgan.building import build_model
from acgan.ending_together import EndTogether
from acgan.interruption import Interruption
from acgan.pipeline import distributed_batches
from acgan.same_start import SameStart
from acgan.stopping import StopAfter
from acgan.workers.energy import OwnEnergy
from callbacks.losses import Losses
from callbacks.nvml import Gpus

OVER, AGAIN = -1, -2  # what the chief says in place of the step from which it trains


def help_train(settings, dataset, policy, distribution):
    """Trains with the chief's `acgan.training.Run` until that is over, however often it goes back.

    Arguments:
        settings, dataset, policy: as the chief's `Run` has them.
        distribution: this process's `acgan.distribution.Distribution`.

    Returns:
        This process's exit status.

    Raises:
        KeyboardInterrupt: at a second signal, which does not wait for the others.
    """
    interruption = Interruption()
    interruption.deferred = True  # training ends in all processes together
    with interruption, OwnEnergy(Gpus()) as energy:
        if settings.deterministic:
            tf.config.experimental.enable_op_determinism()
        while True:
            with distribution.scope():
                model = build_model(settings, dataset.image_shape, dataset.classes, policy)
            first_step = int(distribution.from_chief())
            if first_step >= 0:
                _fit(model, settings, dataset, distribution, first_step, interruption, energy)
                first_step = int(distribution.from_chief())  # while the chief judges and saves
            if first_step != AGAIN:
                break
    return interruption.exit_status()


def _fit(model, settings, dataset, distribution, first_step, interruption, energy):
    last_step = settings.total_steps(len(dataset))
    data = (dataset.images, dataset.labels, dataset.classes, settings.batch_size)
    batches = distributed_batches(
        distribution, *data, settings.latent_dim, settings.seed, first_step
    )
    callbacks = [
        StopAfter(last_step, None, float, lambda: interruption.received is not None, first_step),
        SameStart(distribution),
        Losses(None, {}, settings.log_every, first_step),  # resets the means when the chief does
        EndTogether(distribution, last_step, energy.joules, first_step),
    ]
    energy.begin()
    model.fit(batches, verbose=0, shuffle=False, callbacks=callbacks)
