"""What a training run costs in money and energy."""

import time

from callbacks.cost_arithmetic import (
    usd_per_1000_images,
    usd_per_million_batches,
    usd_spent,
    watt_hours,
    wh_per_1000_images,
)
from callbacks.prices import Price, given_price
from callbacks.steps import StepCallback

_NO_PRICE = "no price is known for this hardware: give a price with --usd_per_hour"


class Cost(StepCallback):
    """Counts the money and the energy that a run takes, and ends it when its money is spent.

    The total follows from wall clock, since clouds bill idle time too; unit prices follow from the
    steady time of a step. Without a price there is no number, and one line says how to give one.

    | tag | value |
    |---|---|
    | `cost/usd_per_hour` | price of all GPUs in use |
    | `cost/usd_total` | USD since `started`, and `spent_before_usd` |
    | `cost/usd_per_1000_images` | USD, from steady step time |
    | `cost/usd_per_million_batches` | USD, from steady step time |
    | `energy/wh_per_1000_images` | watt-hours in `fit`, without compilation and validation |

    What is not known is left out.

    Arguments:
        price: a `callbacks.prices.Price`, or USD an hour as a number; None if unknown.
        board: a `callbacks.board.Board`, or None to log nothing.
        images_per_step: images in a full batch.
        step_time_ms: called without arguments, gives the steady time of a step in milliseconds, or
            None as long as it was not measured.
        max_usd: USD after which training ends, what was spent before included; None for no limit.
            Checked after every execution of the train function, so the last one goes over it.
        started: reading of `clock` from which on the hardware is paid for; None: when training
            begins.
        spent_before_usd, wh_before: USD and watt-hours of earlier parts of a continued run.
        interval: steps per point.
        energy: a `callbacks.nvml.Gpus` not yet open, or None to measure no energy.
        price_reason: a line that says why `price` is None and how to give one.
        first_step: as for `StepCallback`.
        clock: seconds, monotonic.
        report: takes the lines to be said.

    Attributes:
        stopped: whether `max_usd` ended the training.
        price_reason, energy_reason: why there is no price, no energy; None if there is.

    Raises:
        ValueError: a price or a limit that is not positive, or a limit without a price.

    Example:
        step_time = StepTime(board, images_per_step=64)
        cost = Cost(0.526, board, 64, step_time_ms=lambda: 12.5, max_usd=5)
        model.fit(x, y, batch_size=64, callbacks=[cost])
        cost.record()["usd_total"]
    """

    def __init__(
        self,
        price,
        board,
        images_per_step,
        step_time_ms,
        max_usd=None,
        started=None,
        spent_before_usd=0.0,
        wh_before=0.0,
        interval=50,
        energy=None,
        price_reason=None,
        first_step=0,
        clock=time.monotonic,
        report=print,
    ):
        super().__init__(first_step)
        if price is not None and not isinstance(price, Price):
            price = given_price(price)
        self.price_reason = None if price is not None else price_reason or _NO_PRICE
        if max_usd is not None and not max_usd > 0:
            raise ValueError(f"max_usd must be positive, not {max_usd}")
        if max_usd is not None and price is None:
            raise ValueError(f"max_usd {max_usd} cannot be kept: {self.price_reason}")
        self.price = price
        self.board = board
        self.images_per_step = images_per_step
        self.step_time_ms = step_time_ms
        self.max_usd = max_usd
        self.started = started
        self.spent_before_usd = spent_before_usd
        self.wh_before = wh_before
        self.interval = interval
        self.clock = clock
        self.report = report
        self.stopped = False
        self._energy = _EnergyMeter(energy)
        self._said_no_price = False
        self._first_execution = True
        self._logged_at = first_step or None  # of a run that goes on: by the process before

    @property
    def energy_reason(self):
        return self._energy.reason

    def usd_total(self):
        """USD spent so far, None without a price or before the clock runs."""
        if self.price is None or self.started is None:
            return None
        return self.spent_before_usd + usd_spent(
            self.price.usd_per_hour, self.clock() - self.started
        )

    def record(self):
        """The field `cost` of a run's record; what is not known is None."""
        usd_per_hour = self.price and self.price.usd_per_hour
        step_ms = self.step_time_ms()
        return {
            "usd_per_hour": usd_per_hour,
            "price_source": self.price and self.price.source,
            "usd_total": self.usd_total(),
            "usd_per_1000_images": usd_per_1000_images(usd_per_hour, step_ms, self.images_per_step),
            "usd_per_million_batches": usd_per_million_batches(usd_per_hour, step_ms),
        }

    def energy_record(self):
        """The field `energy` of a run's record: since training began; None if not measured."""
        joules = self._energy.total_joules()
        return {
            "wh_total": None if joules is None else self.wh_before + watt_hours(joules),
            "wh_per_1000_images": self._energy.wh_per_1000_images(),
        }

    def on_train_begin(self, logs=None):
        if self.started is None:
            self.started = self.clock()
        if self.price is None and not self._said_no_price:
            self.report(self.price_reason)
            self._said_no_price = True
        self._first_execution = True
        self._energy.open()

    def on_epoch_begin(self, epoch, logs=None):
        if not self._first_execution:
            self._energy.resume()

    def on_steps_end(self, executed, logs):
        if self._energy.running:
            self._energy.add_images(executed * self.images_per_step)
        else:  # after compilation or evaluation
            self._energy.resume()
        self._first_execution = False
        if self.passed_multiple_of(self.interval, executed):
            self._log()
        if self.max_usd is not None:
            self._keep_limit()

    def on_test_begin(self, logs=None):
        self._energy.pause()

    def on_epoch_end(self, epoch, logs=None):
        self._energy.pause()

    def on_train_end(self, logs=None):
        if self._logged_at != self.steps_done:
            self._log()
        self._energy.close()

    def _keep_limit(self):
        spent = self.usd_total()
        if spent < self.max_usd:
            return
        self.model.stop_training = True
        if not self.stopped:
            self.stopped = True
            self.report(
                f"max_usd: {spent:.4g} of {self.max_usd:.4g} USD are spent, training ends after "
                f"step {self.steps_done}"
            )

    def _log(self):
        self._energy.lap()
        self._logged_at = self.steps_done
        if self.board is None:
            return
        values = {f"cost/{name}": value for name, value in self.record().items()}
        del values["cost/price_source"]
        values["energy/wh_per_1000_images"] = self._energy.wh_per_1000_images()
        self.board.scalars(values, self.steps_done)


class _EnergyMeter:
    """Joules since it was opened, and those of stretches of training with the images in them."""

    def __init__(self, gpus):
        self._gpus = gpus
        self._reason = f"energy: {'not asked for' if gpus is None else 'training has not begun'}"
        self._before = 0.0  # joules of earlier openings
        self._opened = None  # the counter's readings: then, latest, begin of this stretch
        self._latest = None
        self._resumed = None
        self._pending_images = 0  # of this stretch
        self._joules = 0.0  # of finished stretches
        self._images = 0

    @property
    def running(self):
        return self._resumed is not None

    @property
    def reason(self):
        """Why there is no energy, None if there is."""
        if self._reason is None and self._total() is None:
            return "energy: the counter has not moved"
        return self._reason

    def open(self):
        self.close()  # a training that an error ended has left it open
        if self._gpus is not None:
            self._gpus.open()
            self._opened = self._read()
            if self._opened is None:
                self._gpus.close()

    def close(self):
        if self._opened is not None:
            self.pause()
            self._before = self.total_joules() or 0.0
            self._opened = self._latest = None
            self._gpus.close()

    def resume(self):
        """Begins a stretch."""
        if self._opened is not None:
            self._resumed, self._pending_images = self._read(), 0

    def add_images(self, images):
        self._pending_images += images

    def pause(self):
        """Ends a stretch; one whose end cannot be read is dropped with its images."""
        self.lap()
        self._resumed = None

    def lap(self):
        """Ends a stretch and begins the next."""
        if not self.running:
            return
        now = self._read()
        if now is not None:
            self._joules += now - self._resumed
            self._images += self._pending_images
        self._resumed, self._pending_images = now, 0

    def total_joules(self):
        if self._opened is not None and self._read() is None:
            return None
        return self._total()

    def wh_per_1000_images(self):
        return wh_per_1000_images(self._joules or None, self._images)

    def _total(self):
        since_open = 0.0 if self._latest is None else self._latest - self._opened
        return self._before + since_open or None  # a counter that stands still measures nothing

    def _read(self):
        joules, self._reason = self._gpus.energy_joules()
        if joules is not None:
            self._latest = joules
        return joules
