"""One run: build the networks, fit them, record what happened."""

import contextlib
import dataclasses
import functools

import keras
import tensorflow as tf

from acgan import pipeline
from acgan.building import build_model
from acgan.collapse import real_spread
from acgan.distribution import ONE_DEVICE
from acgan.divergence import Divergence
from acgan.drawing import draw_for_judge, draw_samples
from acgan.ending_together import EndTogether
from acgan.errors import UserError
from acgan.evaluation import Evaluation
from acgan.instruments import Instruments
from acgan.interruption import Interruption
from acgan.judge import load_judge
from acgan.progress import ProgressBar
from acgan.resolved import resolved
from acgan.rolling_back import Diverged
from acgan.run_callbacks import run_callbacks
from acgan.runs import OUT_OF_MEMORY, Record
from acgan.saving import Saving
from acgan.stopping import StopAfter
from acgan.way_out import is_out_of_memory, way_out
from callbacks.board import Board


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
        distribution: the `acgan.distribution.Distribution` of the devices that train it. Of several
            processes this is the chief, and in the others `acgan.helping.Helper` trains.
    """

    def __init__(
        self,
        settings,
        dataset,
        policy,
        hardware,
        folder,
        cache_dir,
        pricing,
        clock,
        before=None,
        distribution=ONE_DEVICE,
    ):
        self.settings = settings
        self.dataset = dataset
        self.policy = policy
        self.folder = folder
        self.cache_dir = cache_dir
        self.hardware = hardware
        self.pricing = pricing
        self.clock = clock
        self.distribution = distribution
        self.saving = Saving(folder, settings.keep_checkpoints, dataset.content_hash(), before)
        self.first_step = self.saving.first_step
        self.model = None  # built when training begins
        self.instruments = None  # built with the model
        self.divergence = None  # likewise
        self.interruption = Interruption()
        self.board = Board(folder.tensorboard)
        self.draw_samples = functools.partial(
            draw_samples, latent_dim=settings.latent_dim, classes=dataset.classes
        )
        last_step = settings.total_steps(len(dataset.images))
        self.together = EndTogether(distribution, last_step, first_step=self.first_step)
        self.stop = StopAfter(
            last_step,
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
            functools.partial(draw_for_judge, latent_dim=settings.latent_dim),
            folder.generator,
            self.board,
            settings.evaluate_every,
            self._trained_seconds,
            skip_last=lambda: self._is_interrupted() or self._has_diverged(),
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
            Diverged: training went wrong.
            UserError: such as a batch that does not fit into memory. On any error the record's
                status is "failed" and its message says why.
        """
        with self.interruption, self.record.writing():
            try:
                self._train()
            except KeyboardInterrupt:  # noted by `interruption`
                if self.distribution.workers > 1:  # the others wait for this process
                    message = f"interrupted by {self.interruption.received}"
                    self.record.update(status="interrupted", message=message)
                    raise
            except Exception as error:
                line = way_out(error, self.folder.path, self.settings.batch_size)
                message = line or f"{type(error).__name__}: {error}"
                failure = OUT_OF_MEMORY if is_out_of_memory(error) else None
                self.record.update(status="failed", message=message, failure=failure)
                if line and not isinstance(error, UserError):
                    raise UserError(line) from error
                raise
            if self._is_interrupted() and not self._is_complete():
                by = self.interruption.received or "another machine"
                message = f"interrupted by {by}"
                if self.saving.checkpoints.paths():
                    message += f"; --resume --run_dir={self.folder.path} goes on"
                self.record.update(status="interrupted", message=message)
            else:
                spent = self.instruments is not None and self.instruments.cost.stopped
                message = f"--max_usd={self.settings.max_usd} is spent" if spent else None
                self.record.update(status="completed", message=message)
        return self.record.fields

    def fail(self, message):
        """Notes in the record that the run has failed, from any thread, whatever the run does."""
        self.record.update(status="failed", message=message)
        self.record.save()

    def exit_status(self):
        """That of the process, after `execute`."""
        is_ended_by_others = self.together.ended_by_others and not self._is_complete()
        return self.interruption.exit_status() or int(is_ended_by_others)

    def _train(self):
        settings, dataset = self.settings, self.dataset
        self.interruption.deferred = self.distribution.workers > 1  # ends in all of them together
        if settings.deterministic:
            tf.config.experimental.enable_op_determinism()
        with self.distribution.scope():
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
        rows = slice(0, settings.batch_size // self.distribution.replicas)
        self.instruments = Instruments(
            settings,
            lambda: pipeline.training_batch(*data, step=0, rows=rows),
            model,
            self.policy,
            self.hardware,
            self.distribution,
            self.together,
            self.pricing,
            self.board,
            self.clock,
            self.progress.say,
            self.first_step,
            self.saving.usd_before,
            self.saving.wh_before,
            self.saving.saved("step_times"),
        )
        self.interruption.deferred = True
        try:
            self._fit(
                lambda: pipeline.distributed_batches(self.distribution, *data, self.first_step)
            )
        except Exception:
            self._save_what_is_whole()
            raise
        finally:
            self.progress.close()
            self.clock.switch("checkpoint")
            if self.stop.steps_done:  # whatever ended the training, what was learned is kept
                self.saving.keep_generator(model.generator, not self.evaluation.history)
            self.interruption.deferred = False
        self.board.close()
        self.record_measurements()
        if self._has_diverged():
            found = self.divergence.found
            good = next(self.saving.checkpoints.good(), None)
            where = f" (the last good checkpoint is {good})" if good else ""
            raise Diverged(f"{found.words}{where}", found)

    def _fit(self, make_batches):
        self.divergence = self._make_divergence()
        callbacks = run_callbacks(self)
        if self.first_step and self.stop.is_over():  # ended between its last step and its end
            ending = keras.callbacks.CallbackList(callbacks, model=self.model)
            ending.on_train_begin()
            ending.on_train_end()
        else:
            self.distribution.from_chief(self.first_step)  # which helpers wait for
            self.model.fit(make_batches(), verbose=0, shuffle=False, callbacks=callbacks)

    def _is_complete(self):
        """Whether nothing is left to do."""
        judged = [judgement["step"] for judgement in self.evaluation.history[-1:]]
        is_judged = not self.settings.evaluate or judged == [self.stop.steps_done]
        return self.stop.is_over() and is_judged

    def _has_diverged(self):
        return self.divergence is not None and self.divergence.ends_training

    def _is_interrupted(self):
        return self.interruption.received is not None or self.together.ended_by_others

    def _make_divergence(self):
        dataset = self.dataset
        return Divergence(
            self.draw_samples,
            real_spread(dataset.images, dataset.labels, dataset.classes),
            dataset.class_names,
            self.policy,
            self.settings.learning_rate * self.saving.rate_factor,
            self.settings.on_divergence,
            self.progress.say,
            first_step=self.first_step,
            state=self.saving.saved("divergence"),
        )

    def save(self, step):
        """Writes a checkpoint, unless training has gone wrong: then it goes on from before that."""
        if self._has_diverged():
            return
        is_good = self.divergence.is_good()  # which may find what is wrong
        if not self._has_diverged():
            self._write_checkpoint(step, is_good)

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
        if self.settings.is_saved and steps > self.first_step and not self.stop.in_step:
            with contextlib.suppress(OSError, tf.errors.OpError):
                self._write_checkpoint(steps, self.divergence.check_weights())

    def record_measurements(self):
        """Brings the record up to date with the instruments."""
        self.record.update(**self.instruments.fields())
        self.record.explain(**self.instruments.reasons())

    def _trained_seconds(self):
        return self.clock.spent("train")

    def _live_fields(self):
        steps = self.stop.steps_done
        return {
            "steps": steps,
            "images": steps * self.settings.batch_size,
            "seconds": self.clock.seconds(),
            "quality": self.evaluation.record(),
            "findings": list(map(dataclasses.asdict, self._findings())),
            "rollbacks": list(self.saving.rollbacks),
        }

    def _findings(self):
        return self.divergence.findings if self.divergence else ()

    def _resolved(self, networks=()):
        changes = self.saving.policy_changes(self.policy)
        return resolved(
            self.settings, self.dataset, self.policy, changes, self.distribution, networks
        )
