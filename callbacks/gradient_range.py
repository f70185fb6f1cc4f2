"""Float16's range, measured on a run's own gradients."""

import contextlib
from dataclasses import dataclass

import keras
from keras import ops

from callbacks.gradient_statistics import GradientTally
from callbacks.steps import StepCallback


@dataclass(frozen=True)
class NetworkGradients:
    """Gradients of one network, as a tape gives them.

    Arguments:
        gradients: tensors, `IndexedSlices` or None (left out), still multiplied by the optimizer's
            loss scale.
        variables: the variables they are of, in the same order.
        optimizer: the Keras optimizer that would apply them; it tells scale and learning rate.
    """

    gradients: list
    variables: list
    optimizer: keras.optimizers.Optimizer


class GradientRange(StepCallback):
    """Measures how much of a model's gradients float16 can hold, on one batch again and again.

    | tag | value |
    |---|---|
    | `gradients/<network>_underflow_percent_unscaled` | values that float16 would flush to zero |
    | `gradients/<network>_underflow_percent_scaled` | the same with the current loss scale |
    | `gradients/<network>_overflow_percent_scaled` | values beyond float16's 65504 with it |
    | `gradients/<network>_update_underflow_percent` | updates that float16 weights would swallow |
    | `gradients/<network>_log2` | histogram of log2 of the magnitudes, the scale divided out |

    Shares are of the values that are not zero; `callbacks.gradient_statistics` defines them. The
    tags "scaled" are left out for an optimizer without loss scale, all of a network's while all its
    gradients are zero. An update is learning rate times gradient, as in plain gradient descent: an
    optimizer that normalizes, such as Adam, makes larger ones of small gradients.

    What is measured are the gradients that reach the variables. In float32 training these are the
    true ones, and the shares say what float16 would do to them. In mixed float16 they have come
    through float16 on their way, with the scale: what was flushed there arrives as zero and is not
    counted, so that the underflow shares are lower bounds and the scaled one is near zero where
    scaling works; what overflowed arrives as inf or NaN and counts as overflow. Rows of an
    `Embedding` that the batch does not touch are no values; several gradients of one row are added
    up, as the optimizer does.

    A measurement changes nothing: no update is applied, and whatever the forward pass changed
    (moving statistics, metrics, random seeds of layers) is put back. `gradients` must draw no
    random numbers beyond those of the model's layers. It runs compiled as the model's own step
    (`run_eagerly`, `jit_compile`); under a distribution strategy on every replica, and the first
    replica's gradients count. If the device's memory does not suffice, that is reported and nothing
    more is measured.

    Arguments:
        gradients: `gradients(model, batch)` gives `{network: NetworkGradients}`. For a model with
            the built-in training step there is `compiled_model_gradients`.
        batch: what `gradients` takes, arrays in any nesting; kept in host memory.
        board: a `callbacks.board.Board`, or None to log nothing.
        interval: steps between two measurements; one more is made as training ends.
        first_step: as for `StepCallback`.
        report: called with a line if measuring had to end.

    Attributes:
        latest: the last measurement, `{network: {name of the share: percent or None}}`.

    Example:
        GradientRange(compiled_model_gradients, (x[:64], y[:64]), Board("logs"), interval=500)

        def two_networks(model, batch):  # for a model with a step of its own
            gradients = model.compute_gradients(batch)
            return {
                "critic": NetworkGradients(
                    gradients, model.critic.trainable_variables, model.critic_optimizer
                )
            }
    """

    def __init__(self, gradients, batch, board, interval=500, first_step=0, report=print):
        super().__init__(first_step)
        self.gradients = gradients
        self.batch = batch
        self.board = board
        self.interval = interval
        self.report = report
        self.latest = {}
        self._compute = None
        self._networks = {}
        self._measured_at = None
        self._gave_up = False

    def on_steps_end(self, executed, logs):
        if self.passed_multiple_of(self.interval, executed):
            self.measure()

    def on_train_end(self, logs=None):
        if self._measured_at != self.steps_done:
            self.measure()
        self._compute, self._networks = None, {}

    def measure(self):
        """Measures the model as it is now and logs it."""
        import tensorflow as tf

        if self._gave_up:
            return
        try:
            tallies = self._tallies()
        except tf.errors.ResourceExhaustedError:
            self._gave_up = True
            self.report(
                f"warning: step {self.steps_done}: the gradients' range is measured no more: its "
                "batch does not fit into memory beside the training; a smaller one may"
            )
            return
        self._measured_at = self.steps_done
        self.latest = {network: tally.percents() for network, tally in tallies.items()}
        if self.board is None:
            return
        for network, tally in tallies.items():
            shares = self.latest[network].items()
            self.board.scalars(
                {f"gradients/{network}_{name}": percent for name, percent in shares},
                self.steps_done,
            )
            self.board.histogram(f"gradients/{network}_log2", tally.log2_buckets(), self.steps_done)

    def _tallies(self):
        if self._compute is None:
            self._compute = self._compiled()
        batch = keras.tree.map_structure(ops.convert_to_tensor, self.batch)
        with _kept_state(self.model):
            computed = self._compute(batch)
        tallies = {}
        for network, gradients in computed.items():
            variables, optimizer = self._networks[network]
            tallies[network] = GradientTally(loss_scale(optimizer), learning_rate(optimizer))
            for gradient, variable in zip(gradients, variables, strict=True):
                gradient = self._first_replica(gradient)
                if gradient is not None:
                    tallies[network].add(*_values_and_weights(gradient, variable))
        return tallies

    def _compiled(self):
        """The function from a batch to the gradients; notes whose they are in `_networks`."""
        import tensorflow as tf

        def compute(batch):
            networks = self.gradients(self.model, batch)
            self._networks = {
                name: (list(of.variables), of.optimizer) for name, of in networks.items()
            }
            return {name: list(of.gradients) for name, of in networks.items()}

        if self.model.run_eagerly:
            return compute
        function = tf.function(compute, jit_compile=bool(self.model.jit_compile))
        strategy = self.model.distribute_strategy
        return tf.function(lambda batch: strategy.run(function, args=(batch,)))

    def _first_replica(self, gradient):
        return self.model.distribute_strategy.experimental_local_results(gradient)[0]


def compiled_model_gradients(model, batch):
    """Gradients of a model with the built-in training step, for `GradientRange`.

    Arguments:
        model: a compiled `keras.Model`; its loss and its optimizer serve.
        batch: `(x, y)` or `(x, y, sample_weight)`.

    Returns:
        `{"model": NetworkGradients}`.
    """
    import tensorflow as tf

    x, y, sample_weight = keras.utils.unpack_x_y_sample_weight(batch)
    with tf.GradientTape() as tape:
        loss = model.compute_loss(
            x=x, y=y, y_pred=model(x, training=True), sample_weight=sample_weight
        )
        scaled_loss = model.optimizer.scale_loss(loss)
    variables = model.trainable_variables
    return {
        "model": NetworkGradients(tape.gradient(scaled_loss, variables), variables, model.optimizer)
    }


def loss_scale(optimizer):
    """An optimizer's loss scale now, a float, or None if it scales no loss."""
    if isinstance(optimizer, keras.optimizers.LossScaleOptimizer):
        if not optimizer.built:
            return float(optimizer.initial_scale)
        return float(ops.convert_to_numpy(optimizer.dynamic_scale.value))
    return optimizer.loss_scale_factor


def learning_rate(optimizer):
    """An optimizer's learning rate now, a float; a schedule's at the optimizer's iterations."""
    rate = optimizer.learning_rate
    return float(ops.convert_to_numpy(getattr(rate, "value", rate)))


@contextlib.contextmanager
def _kept_state(model):
    """Puts what a forward pass changes in a model back as it was, at the end of a block."""
    variables = {id(v): v for v in [*model.non_trainable_variables, *model.metrics_variables]}
    # Not straight to NumPy: a variable kept apart in every replica has to be read as a tensor.
    values = {key: ops.convert_to_tensor(v.value).numpy() for key, v in variables.items()}
    try:
        yield
    finally:
        for key, variable in variables.items():
            variable.assign(values[key])


def _values_and_weights(gradient, variable):
    """A gradient's values and the weights they are of; of sparse gradients the rows touched."""
    import tensorflow as tf

    weights = tf.convert_to_tensor(variable.value)
    if not isinstance(gradient, tf.IndexedSlices):
        return gradient, weights
    rows, position = tf.unique(gradient.indices)
    values = tf.cast(gradient.values, tf.float32)
    return tf.math.unsorted_segment_sum(values, position, tf.size(rows)), tf.gather(weights, rows)
