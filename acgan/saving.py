"""A run's checkpoints: what goes into them, and what a run that goes on takes out again."""

import shutil

from acgan.checkpoints import Checkpoints
from acgan.errors import UserError
from acgan.model_state import get_arrays, set_arrays
from acgan.resuming import drop_newer, files_in
from callbacks.files import replacing
from callbacks.gradient_range import learning_rate


class Saving:
    """Saves one run, and gives it back what it had.

    Arguments:
        folder: the run's `acgan.runs.RunFolder`.
        keep: how many checkpoints are kept.
        data: the data set's `content_hash`.
        before: the `acgan.resuming.Before` of a run that goes on; None for a new one.

    Attributes:
        first_step: steps that the run had done before.
        rollbacks: as in run.json, a dictionary for each time that the run went back.
        checkpoints: an `acgan.checkpoints.Checkpoints`.
    """

    def __init__(self, folder, keep, data, before):
        self.folder = folder
        self.data = data
        self.before = before
        self.rollbacks = before.rollbacks if before else ()
        self.first_step = before.step if before else 0
        self.checkpoints = Checkpoints(folder.checkpoints, keep)

    def save(self, step, model, board, **state):
        """Writes a checkpoint.

        Arguments:
            step: training steps attempted.
            model: the `acgan.model.ACGAN`.
            board: the run's `callbacks.board.Board`; its event file is closed, so that what is
                written from here on stands in one of its own.
            **state: what JSON can hold: `policy`, `policy_changes`, `seconds` by part, the
                `history` of judgements, `step_times` as `callbacks.timing.StepTimes.state` gives,
                `divergence` as `acgan.divergence.Divergence.state` does, and `is_good`, whether
                the checkpoint is worth coming back to.

        Raises:
            OSError: it can't be written, or what the board has to write can't; then there is a
                checkpoint all the same.
        """
        try:
            board.close()
        finally:
            state |= {"data": self.data, "rollbacks": self.rollbacks}
            state["event_files"] = files_in(self.folder.tensorboard)
            state["samples"] = files_in(self.folder.samples)
            self.checkpoints.save(step, get_arrays(model), state, beside=self.folder.generator)

    def go_on(self, model, policy, say):
        """Gives a new model the saved state, and the run's folder the files of that moment.

        Arguments:
            model: a compiled `acgan.model.ACGAN`.
            policy: name of the policy that it trains in; of another the loss scale starts anew.
            say: called with a line for the user.

        Raises:
            UserError: the checkpoint is another model's, or the data are no longer the same.
        """
        if self.before is None:
            return
        if checkpoint := self.before.checkpoint:
            if checkpoint.state.get("data", self.data) != self.data:
                raise UserError(
                    f"{self.folder.path} can't go on: its images or labels are no longer what they "
                    "were: restore them, or choose another --run_dir"
                )
            optimizers = (model.generator_optimizer, model.discriminator_optimizer)
            rates = [learning_rate(optimizer) * self.rate_factor for optimizer in optimizers]
            set_arrays(model, checkpoint.arrays, checkpoint.path, policy == self.before.policy)
            for optimizer, rate in zip(optimizers, rates, strict=True):
                optimizer.learning_rate = rate
            say(f"going on from step {checkpoint.step:,}")
        drop_newer(self.folder, self.before.checkpoint)
        self._restore_best()

    def _restore_best(self):
        """Gives the folder the best generator of that moment: a better one may not come again."""
        checkpoint, best = self.before.checkpoint, self.folder.generator
        kept = checkpoint and checkpoint.path.with_suffix(best.suffix)
        if kept and kept.exists():
            with replacing(best) as partial:
                shutil.copyfile(kept, partial)
        else:
            best.unlink(missing_ok=True)

    @property
    def rate_factor(self):
        """What the settings' learning rates are multiplied by."""
        return self.rollbacks[-1]["rate_factor"] if self.rollbacks else 1.0

    def keep_generator(self, generator, is_best):
        """Saves the generator at the end of training.

        Arguments:
            generator: a Keras model.
            is_best: whether it is also the best, since none was judged.

        Raises:
            OSError: it can't be written.
        """
        with replacing(self.folder.last_generator) as partial:
            generator.save(partial)
        if is_best:
            with replacing(self.folder.generator) as partial:
                shutil.copyfile(self.folder.last_generator, partial)

    def arrays(self):
        """Those of the checkpoint, None without one."""
        checkpoint = self.before and self.before.checkpoint
        return checkpoint and checkpoint.arrays

    def saved(self, name, otherwise=None):
        """What `save` was given by this name, `otherwise` without a checkpoint."""
        checkpoint = self.before and self.before.checkpoint
        return checkpoint.state[name] if checkpoint else otherwise

    def record_before(self):
        """Fields of the record that hold until this process has measured something itself."""
        if self.before is None:
            return {}
        fields = {name: self.before.record.get(name) for name in ("started", "cost", "energy")}
        return {name: value for name, value in fields.items() if value is not None}

    @property
    def usd_before(self):
        """USD that the run had cost before this process began."""
        return self.before.usd if self.before else 0.0

    @property
    def wh_before(self):
        """Watt-hours that the run had taken when it ended, by its record."""
        return (self.before and (self.before.record["energy"] or {}).get("wh_total")) or 0.0

    def policy_changes(self, policy):
        """[step, policy before, policy after] of each change of policy."""
        if self.before is None:
            return []
        changes = self.before.policy_changes
        if self.before.policy in (None, policy):
            return changes
        return [*changes, [self.first_step, self.before.policy, policy]]
