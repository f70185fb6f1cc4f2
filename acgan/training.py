"""One run: build the networks, fit them, record what happened."""

import contextlib
import dataclasses
import shutil

import keras
import tensorflow as tf

from acgan import pipeline
from acgan.building import build_model
from acgan.checkpointing import Checkpointing
from acgan.checkpoints import read_checkpoint
from acgan.clock import Booked, Phases
from acgan.collapse import real_spread
from acgan.data_failure import DataFailure
from acgan.divergence import Divergence
from acgan.errors import UserError
from acgan.evaluation import Evaluation
from acgan.generation import generate_images, images_by_class
from acgan.instruments import Instruments
from acgan.interruption import Interruption
from acgan.judge import SEED as JUDGE_SEED
from acgan.judge import load_judge
from acgan.loss_means import LossMeans
from acgan.progress import ProgressBar
from acgan.regularly import Regularly
from acgan.resolved import resolved
from acgan.runs import OUT_OF_MEMORY, Record
from acgan.saving import Saving
from acgan.stopping import StopAfter
from acgan.way_out import is_out_of_memory, way_out
from callbacks.board import Board
from callbacks.files import replacing
from callbacks.losses import Losses
from callbacks.samples import Samples

SAMPLE_ROWS = 8
SAMPLE_SEED = 2019  # of the latent vectors that every run's samples are drawn from
LOSS_TAGS = {
    "generator_loss": "loss/generator",
    "discriminator_loss": "loss/discriminator",
    "class_loss_real": "loss/class_real",
    "class_loss_generated": "loss/class_generated",
}


class Run:
    """One training run in a folder of its own.

    Arguments:
        settings: an `acgan.settings.Settings`.
        dataset: an `acgan.datasets.ImageDataset`.
        policy: name of the Keras dtype policy to train in.
        hardware: as `callbacks.hardware.detect` returns it.
        folder: a new `acgan.runs.RunFolder`, already created.
        cache_dir: folder for the data set's judge.
        pricing: an `acgan.pricing.Pricing`.
        clock: the process's `acgan.clock.PartClock`, in its part "startup".
        before: the `acgan.resuming.Before` of a run that goes on; None for a new one.
    """

    def __init__(
        self, settings, dataset, policy, hardware, folder, cache_dir, pricing, clock, before=None
    ):
        self.settings = settings
        self.dataset = dataset
        self.policy = policy
        self.folder = folder
        self.cache_dir = cache_dir
        self.hardware = hardware
        self.pricing = pricing
        self.clock = clock
        self.saving = Saving(folder, settings.keep_checkpoints, before)
        self.first_step = self.saving.first_step
        self.model = None  # built when training begins
        self.instruments = None  # built with the model
        self.divergence = None  # likewise
        self.interruption = Interruption()
        self.board = Board(folder.tensorboard)
        self.stop = StopAfter(
            settings.total_steps(len(dataset.images)),
            settings.minutes and settings.minutes * 60,
            self._trained_seconds,
            lambda: self.interruption.received is not None,
            self.first_step,
        )
        self.progress = ProgressBar(
            settings.batch_size,
            self.stop.share_done,
            self._trained_seconds,
            first_step=self.first_step,
        )
        self.evaluation = Evaluation(
            lambda: load_judge(dataset, cache_dir, self.progress.say),
            self._generate_for_judge,
            folder.generator,
            self.board,
            settings.evaluate_every,
            self._trained_seconds,
            skip_last=lambda: self.interruption.received is not None or self._has_diverged(),
            history=self.saving.saved("history", ()),
            first_step=self.first_step,
        )
        self.record = Record(folder.record, dataclasses.asdict(settings), self._live_fields)
        self.record.update(hardware=hardware, resolved=self._resolved())
        self.record.update(**self.saving.record_before())
        if not settings.evaluate:
            self.record.explain(quality="--noevaluate")

    def execute(self):
        """Trains until a limit of the settings is reached or the run is interrupted.

        Returns:
            The record, a dictionary; its status is "completed" or "interrupted".

        Raises:
            UserError: the batch does not fit into memory. On any error the record's status is
                "failed" and its message says why.
        """
        with self.interruption, self.record.writing():
            try:
                self._train()
            except KeyboardInterrupt:
                pass  # noted by `interruption`
            except Exception as error:
                line = way_out(error, self.folder.path, self.settings.batch_size)
                message = line or f"{type(error).__name__}: {error}"
                failure = OUT_OF_MEMORY if is_out_of_memory(error) else None
                self.record.update(status="failed", message=message, failure=failure)
                if line:
                    raise UserError(line) from error
                raise
            if self.interruption.received and not self._is_complete():
                message = f"interrupted by {self.interruption.received}"
                if self.saving.checkpoints.paths():
                    message += f"; --resume --run_dir={self.folder.path} goes on"
                self.record.update(status="interrupted", message=message)
            else:
                spent = self.instruments.cost.stopped
                message = f"--max_usd={self.settings.max_usd} is spent" if spent else None
                self.record.update(status="completed", message=message)
        return self.record.fields

    def _train(self):
        settings, dataset = self.settings, self.dataset
        if settings.deterministic:
            tf.config.experimental.enable_op_determinism()
        model = build_model(settings, dataset.image_shape, dataset.classes, self.policy)
        self.model = model
        self.record.update(resolved=self._resolved((model.generator, model.discriminator)))
        self.saving.go_on(model, self.policy, self.progress.say)
        data = (
            dataset.images,
            dataset.labels,
            dataset.classes,
            settings.batch_size,
            settings.latent_dim,
            settings.seed,
        )
        self.instruments = Instruments(
            settings,
            lambda: pipeline.training_batch(*data, step=0),
            model,
            self.policy,
            self.hardware,
            self.pricing,
            self.board,
            self.clock,
            self.progress.say,
            self.first_step,
            self.saving.spent("cost", "usd_total"),
            self.saving.spent("energy", "wh_total"),
            self.saving.saved("step_times"),
        )
        self.interruption.deferred = True
        try:
            self._fit(pipeline.batches(*data, self.first_step))
        except Exception:
            self._save_what_is_whole()
            raise
        finally:
            self.progress.close()
            self.clock.switch("checkpoint")
            if self.stop.steps_done:  # whatever ended the training, what was learned is kept
                self._keep_generator(model.generator)
            self.interruption.deferred = False
        self.board.close()
        self._record_measurements()
        if self._has_diverged():
            raise UserError(f"{self.divergence.found.words}{self._last_good()}")

    def _fit(self, batches):
        callbacks = self._callbacks()
        if self.first_step and self.stop.is_over():  # ended between its last step and its end
            ending = keras.callbacks.CallbackList(callbacks, model=self.model)
            ending.on_train_begin()
            ending.on_train_end()
        else:
            self.model.fit(batches, verbose=0, shuffle=False, callbacks=callbacks)

    def _is_complete(self):
        """Whether nothing is left to do."""
        judged = [judgement["step"] for judgement in self.evaluation.history[-1:]]
        is_judged = not self.settings.evaluate or judged == [self.stop.steps_done]
        return self.stop.is_over() and is_judged

    def _has_diverged(self):
        return self.divergence is not None and self.divergence.ends_training

    def _last_good(self):
        """Where to find the newest checkpoint of before anything was wrong."""
        for path in reversed(self.saving.checkpoints.paths()):
            if read_checkpoint(path).state.get("is_good"):
                return f" (the last good checkpoint is {path})"
        return ""

    def _callbacks(self):
        settings = self.settings
        samples = Samples(
            self._draw_samples,
            self.dataset.class_names,
            self.folder.samples,
            self.board,
            settings.sample_every,
            self.first_step,
        )
        callbacks = [Phases(self.clock), self.stop, *self.instruments.callbacks()]
        if arrays := self.saving.arrays():
            callbacks += [LossMeans(arrays)]
        self.divergence = Divergence(
            self._draw_samples,
            real_spread(self.dataset.images, self.dataset.labels, self.dataset.classes),
            self.dataset.class_names,
            self.policy,
            settings.learning_rate,
            settings.on_divergence,
            self.progress.say,
            first_step=self.first_step,
            state=self.saving.saved("divergence"),
        )
        callbacks += [Booked(self.divergence, self.clock, "sampling")]
        callbacks += [Losses(self.board, LOSS_TAGS, settings.log_every, self.first_step)]
        callbacks += [Booked(samples, self.clock, "sampling")]
        if settings.evaluate:
            callbacks += [Booked(self.evaluation, self.clock, "evaluate")]
        callbacks += [Regularly(self._record_measurements), self.progress]
        if self._is_saved():
            checkpointing = Checkpointing(
                self._save,
                settings.checkpoint_every,
                settings.checkpoint_minutes * 60 or None,
                self.progress.say,
                self.first_step,
            )
            callbacks += [Booked(checkpointing, self.clock, "checkpoint")]
        return [*callbacks, DataFailure(self.dataset.images, self.first_step)]

    def _is_saved(self):
        return bool(self.settings.checkpoint_every or self.settings.checkpoint_minutes)

    def _save(self, step):
        if not self._has_diverged():  # a run that went wrong goes on from before that
            self._write_checkpoint(step, self.divergence.is_good())

    def _write_checkpoint(self, step, is_good):
        self.saving.save(
            step,
            self.model,
            self.board,
            policy=self.policy,
            policy_changes=self.saving.policy_changes(self.policy),
            seconds=self.clock.seconds(),
            history=self.evaluation.history,
            step_times=self.instruments.step_time.state(),
            is_good=is_good,
            divergence=self.divergence.state(),
        )

    def _save_what_is_whole(self):
        """Saves after an error between two steps; within one the weights may be half updated."""
        steps = self.stop.steps_done
        if self._is_saved() and steps > self.first_step and not self.stop.in_step:
            with contextlib.suppress(OSError, tf.errors.OpError):
                self._write_checkpoint(steps, self.divergence.check_weights())

    def _record_measurements(self):
        self.record.update(**self.instruments.fields())
        self.record.explain(**self.instruments.reasons())

    def _trained_seconds(self):
        return self.clock.spent("train")

    def _draw_samples(self, model):
        latent = pipeline.latent_vectors(SAMPLE_ROWS, self.settings.latent_dim, SAMPLE_SEED, 0)
        return images_by_class(model.generator, latent, range(self.dataset.classes))

    def _generate_for_judge(self, generator, labels):
        latent = pipeline.latent_vectors(len(labels), self.settings.latent_dim, JUDGE_SEED, 0)
        return generate_images(generator, latent, labels)

    def _keep_generator(self, generator):
        with replacing(self.folder.last_generator) as partial:
            generator.save(partial)
        if not self.evaluation.history:
            with replacing(self.folder.generator) as partial:
                shutil.copyfile(self.folder.last_generator, partial)

    def _live_fields(self):
        steps = self.stop.steps_done
        return {
            "steps": steps,
            "images": steps * self.settings.batch_size,
            "seconds": self.clock.seconds(),
            "quality": self.evaluation.record(),
            "findings": list(map(dataclasses.asdict, self._findings())),
        }

    def _findings(self):
        return self.divergence.findings if self.divergence else ()

    def _resolved(self, networks=()):
        changes = self.saving.policy_changes(self.policy)
        return resolved(self.settings, self.dataset, self.policy, changes, networks)
