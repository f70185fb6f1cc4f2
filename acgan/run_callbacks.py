"""What happens between the steps of a run, in which order."""

from acgan.checkpointing import Checkpointing
from acgan.clock import Booked, Phases
from acgan.data_failure import DataFailure
from acgan.loss_means import LossMeans
from acgan.regularly import Regularly
from acgan.same_start import SameStart
from callbacks.losses import Losses
from callbacks.samples import Samples

LOSS_TAGS = {
    "generator_loss": "loss/generator",
    "discriminator_loss": "loss/discriminator",
    "class_loss_real": "loss/class_real",
    "class_loss_generated": "loss/class_generated",
}


def run_callbacks(run):
    """The callbacks for `fit`.

    The clock comes first, so that the others' work is outside of a step. What notices that training
    goes wrong stands before what draws, judges and saves. What was written about a step is in its
    checkpoint. Images that can't be read any more end training after that. All that may end
    training stands before the agreement to end.

    Arguments:
        run: an `acgan.training.Run` with its model, instruments and divergence.
    """
    settings = run.settings
    samples = Samples(
        run.draw_samples,
        run.dataset.class_names,
        run.folder.samples,
        run.board,
        settings.sample_every,
        run.first_step,
    )
    callbacks = [Phases(run.clock), run.stop, *run.instruments.callbacks()]
    if arrays := run.saving.arrays():
        callbacks += [LossMeans(arrays)]
    callbacks += [
        SameStart(run.distribution),
        Booked(run.divergence, run.clock, "sampling"),
        Losses(run.board, LOSS_TAGS, settings.log_every, run.first_step),
        Booked(samples, run.clock, "sampling"),
    ]
    if settings.evaluate:
        callbacks += [Booked(run.evaluation, run.clock, "evaluate")]
    callbacks += [Regularly(run.record_measurements), run.progress]
    if settings.is_saved:
        checkpointing = Checkpointing(
            run.save,
            settings.checkpoint_every,
            settings.checkpoint_minutes * 60 or None,
            run.progress.say,
            run.first_step,
            at_once=settings.on_divergence == "rollback",
        )
        callbacks += [Booked(checkpointing, run.clock, "checkpoint")]
    failure = DataFailure(run.dataset.images, run.first_step)
    return [*callbacks, failure, run.together]
