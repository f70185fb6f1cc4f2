"""An estimate of a run's time and price, from a few of its steps."""

import dataclasses
import tempfile

from acgan.errors import UserError
from acgan.runs import RunFolder
from callbacks.cost_arithmetic import estimate

STEPS = 30


def few_steps(settings):
    """The settings of a run of a few steps that measures their time and nothing else."""
    return dataclasses.replace(
        settings,
        steps=STEPS,
        epochs=None,
        minutes=None,
        evaluate=False,
        sample_every=0,
        gradient_range_every=0,
        profile=False,
        checkpoint_every=0,
        checkpoint_minutes=0.0,
        on_divergence="stop",
        max_usd=None,
    )


def dry_run(settings, images, pricing, start):
    """Trains a few steps in a folder that is not kept, and estimates the whole run.

    Arguments:
        settings: an `acgan.settings.Settings`, of the run that was asked for.
        images: how many the data set holds.
        pricing: an `acgan.pricing.Pricing`.
        start: `start(folder)` gives an `acgan.training.Run` with the settings of `few_steps`.

    Returns:
        The estimate, as lines of text.

    Raises:
        UserError: the few steps were interrupted before any was measured.
    """
    with tempfile.TemporaryDirectory() as folder:
        run = start(RunFolder(folder))
        record = run.execute()
    if run.interruption.received or run.together.ended_by_others:
        raise KeyboardInterrupt
    step_ms = record["step_time_ms"]["mean"]
    if step_ms is None:
        raise UserError("no step was measured: let --dry_run train for a few steps")
    seconds = record["seconds"]
    whole = estimate(
        step_ms,
        seconds["startup"] + seconds["compile"],
        pricing.price and pricing.price.usd_per_hour,
        settings.total_steps(images),
        settings.minutes,
    )
    price = pricing.price and f"{whole.usd:.4f} USD ({pricing.price.source})"
    if price and settings.max_usd is not None and whole.usd > settings.max_usd:
        price += f": --max_usd={settings.max_usd} would end the run before"
    return "\n".join(
        [
            f"estimate from {record['step_time_ms']['measured_steps']} steps of {step_ms:.1f} ms, "
            "without evaluation and samples:",
            f"steps        {whole.steps:,}",
            f"time         {whole.hours:.3f} hours",
            f"price        {price or pricing.reason}",
        ]
    )
