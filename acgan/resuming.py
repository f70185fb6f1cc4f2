"""What a run goes on from: its flags, its newest checkpoint, and what belongs to neither."""

from dataclasses import dataclass
from pathlib import Path

from acgan.checkpoints import Checkpoint, Checkpoints
from acgan.errors import UserError
from acgan.runs import read_record

# Flags that may differ when a run goes on. Any other decides what is trained, or in which order.
FREE = {
    *("steps", "epochs", "minutes", "max_usd", "usd_per_hour", "provider", "spot", "dry_run"),
    *("run_dir", "cache_dir", "resume", "allow_policy_change"),
    *("log_every", "sample_every", "evaluate", "evaluate_every", "profile"),
    *("gradient_range_every", "keep_checkpoints", "checkpoint_every", "checkpoint_minutes"),
    *("on_divergence", "rollback_factor", "max_rollbacks", "distribute", "heartbeat_port"),
}
# The record of a run that was ended before it had one.
EMPTY = dict.fromkeys(("status", "started", "config", "resolved", "seconds", "cost", "energy"))
_LIMITS = ("steps", "epochs", "minutes")


@dataclass(frozen=True)
class Before:
    """What was of a run that goes on.

    Attributes:
        values: its flags by name, with those given anew in their place.
        record: its run.json.
        checkpoint: the newest, None to begin at step 0.
        rollbacks: as in run.json, a dictionary for each time that the run went back.
        usd: spent before this process began.
    """

    values: dict
    record: dict
    checkpoint: Checkpoint | None
    rollbacks: tuple = ()
    usd: float = 0.0

    @property
    def step(self):
        return self.checkpoint.step if self.checkpoint else 0

    @property
    def policy(self):
        """The policy that the checkpoint was trained in, None without one."""
        return self.checkpoint and self.checkpoint.state["policy"]

    @property
    def policy_changes(self):
        """[step, policy before, policy after] of each change before the checkpoint."""
        return self.checkpoint.state["policy_changes"] if self.checkpoint else []

    def seconds(self):
        """Seconds by part, as `PartClock.seconds` gave them: those of the checkpoint, and in all.

        What was trained after the checkpoint and is lost stays in the total, since it was paid for.
        """
        if not self.checkpoint:
            return self.record["seconds"] and {"total": self.record["seconds"].get("total", 0.0)}
        saved, last = self.checkpoint.state["seconds"], self.record["seconds"] or {}
        return {**saved, "total": max(saved["total"], last.get("total", 0.0))}


def look_back(folder, values, given, report):
    """What a run goes on from.

    Arguments:
        folder: the run's `acgan.runs.RunFolder`, with a run.json in it.
        values: all flags by name; `given`: names of those on the command line.
        report: called with lines for the user.

    Raises:
        UserError: a flag was given that doesn't fit the run (names both values), or its record
            can't be read.
    """
    if folder.record.read_text().strip() == "{}":  # it ended before it began
        return Before(values, EMPTY, None)
    record = EMPTY | read_record(folder.record)
    config, resolved = record["config"] or {}, record["resolved"] or {}
    free = FREE | ({"policy"} if values["allow_policy_change"] else set())
    for name in sorted(given - free):
        same = _text(values[name]) in (_text(config.get(name)), resolved.get(name))
        if name in config and not same:
            hint = ", or give --allow_policy_change" if name == "policy" else ""
            raise UserError(
                f"--run_dir={folder.path} was trained with --{name}={_text(config[name])} and "
                f"can't go on with {_text(values[name])}: leave the flag out, choose another "
                f"folder{hint}"
            )
    kept = {name: value for name, value in config.items() if name in values}
    if resolved and "policy" not in given:
        kept["policy"] = resolved["policy"]  # "auto" may mean another one on this machine
    if given.intersection(_LIMITS):  # a new limit replaces the old ones
        kept |= dict.fromkeys(_LIMITS)
    merged = values | kept | {name: values[name] for name in given | {"run_dir", "resume"}}
    checkpoint = Checkpoints(folder.checkpoints).newest(report)
    rollbacks = checkpoint.state.get("rollbacks", ()) if checkpoint else ()
    usd = (record["cost"] or {}).get("usd_total") or 0.0  # lost work was paid for, too
    return Before(merged, record, checkpoint, tuple(rollbacks), usd)


def drop_newer(folder, checkpoint):
    """Removes what a run wrote after its checkpoint: it will be written again.

    Arguments:
        folder: the run's `acgan.runs.RunFolder`.
        checkpoint: a `Checkpoint`, None for the run's very beginning.
    """
    state = checkpoint.state if checkpoint else {"event_files": (), "samples": ()}
    for written, kept in ((folder.tensorboard, "event_files"), (folder.samples, "samples")):
        for name in files_in(written):
            if name not in state[kept]:
                (written / name).unlink()
    Checkpoints(folder.checkpoints).drop_newer(checkpoint.step if checkpoint else -1)
    for partial in folder.path.glob(".*.part*"):
        partial.unlink(missing_ok=True)


def files_in(folder):
    """Names of all files below a folder, seen from there."""
    root = Path(folder)
    return sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())


def _text(value):
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
