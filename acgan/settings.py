"""A run's settings."""

import math
from dataclasses import dataclass
from fractions import Fraction

from acgan.errors import UserError

DEFAULT_MINUTES = 3.0
# What a network trains with unless told otherwise.
DEFAULTS = {
    "dcgan": {"width": 32, "latent_dim": 128, "generator_rate_factor": 3.0},
    "article": {"width": None, "latent_dim": 100, "generator_rate_factor": 1.0},
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that decides a run: one field for each flag of `acgan.train`, of the same name.

    The flags' help says what each means, and their defaults stand there. None for `width`,
    `latent_dim`, `generator_learning_rate`, `evaluate` or `minutes` is replaced by what applies.

    Raises:
        UserError: for values that can't be used together.
    """

    dataset: str
    classes: tuple
    images_per_class: int
    image_size: int
    channels: int | None
    cache_dir: str | None
    network: str
    width: int | None
    latent_dim: int | None
    policy: str
    loss_scale: float | str
    jit_compile: bool
    batch_size: int
    learning_rate: float
    generator_learning_rate: float | None
    beta_1: float
    seed: int
    deterministic: bool
    steps: int | None
    epochs: float | None
    minutes: float | None
    run_dir: str | None
    resume: bool
    allow_policy_change: bool
    checkpoint_every: int
    checkpoint_minutes: float
    keep_checkpoints: int
    on_divergence: str
    rollback_factor: float
    max_rollbacks: int
    log_every: int
    sample_every: int
    evaluate: bool | None
    evaluate_every: int
    profile: bool
    gradient_range_every: int
    provider: str | None
    spot: bool
    usd_per_hour: float | None
    max_usd: float | None
    dry_run: bool
    distribute: str
    heartbeat_port: int | None

    def __post_init__(self):
        defaults = DEFAULTS[self.network]
        if self.network == "article" and self.width is not None:
            raise UserError(
                f"--width={self.width} has no meaning for --network=article, whose widths are "
                "fixed: leave it out"
            )
        if self.width is not None and self.width % 8:
            raise UserError(f"--width={self.width} is not a multiple of 8, as Tensor Cores need")
        if self.image_size % 4:
            raise UserError(f"--image_size={self.image_size} is not divisible by 4")
        if self.on_divergence == "rollback" and not self.is_saved:
            raise UserError(
                "--on_divergence=rollback needs checkpoints to go back to: give "
                "--checkpoint_minutes or --checkpoint_every"
            )
        self._default("width", defaults["width"])
        self._default("latent_dim", defaults["latent_dim"])
        self._default("evaluate", True)
        self._default(
            "generator_learning_rate", defaults["generator_rate_factor"] * self.learning_rate
        )
        if self.steps is self.epochs is self.minutes is None:
            self._default("minutes", DEFAULT_MINUTES)
        object.__setattr__(self, "classes", tuple(self.classes))
        object.__setattr__(self, "channels", self.channels and int(self.channels))
        object.__setattr__(self, "loss_scale", _loss_scale(self.loss_scale))

    def _default(self, field, value):
        if getattr(self, field) is None:
            object.__setattr__(self, field, value)  # the way to set a frozen dataclass' own field

    @property
    def is_saved(self):
        """Whether there are checkpoints."""
        return bool(self.checkpoint_every or self.checkpoint_minutes)

    def total_steps(self, images):
        """Steps after which the run ends, None if only `minutes` ends it.

        Arguments:
            images: how many the data set holds.
        """
        limits = [self.steps] if self.steps is not None else []
        if self.epochs is not None:
            # As a decimal: 0.07 epochs of 5000 images are 350 images, not a little more.
            limits.append(math.ceil(Fraction(str(self.epochs)) * images / self.batch_size))
        return min(limits, default=None)


def _loss_scale(value):
    """ "dynamic" or a number, 1 to 2**24."""
    if value == "dynamic":
        return value
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 1 <= number <= 2**24:
        raise UserError(
            f"--loss_scale={value} is neither 'dynamic' nor a number between 1 and {2**24}"
        )
    return number
