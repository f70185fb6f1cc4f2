import keras
import numpy as np
import pytest
import tensorflow as tf
from keras.optimizers import SGD, Adam

from acgan.collapse import Spread
from acgan.divergence import Divergence
from acgan.generation import images_by_class
from acgan.model import ACGAN
from acgan.networks import build_discriminator, build_generator
from acgan.pipeline import batches, latent_vectors
from acgan.precision import LossScaleOptimizer

NAMES = ("cat", "ship")
REAL = Spread(variety=np.array([100.0, 100.0]), from_grey=np.array([100.0, 100.0]))
INF, NAN = np.inf, np.nan


class Scripted(keras.Model):
    """Two networks of one weight and one statistic each; losses and gradients are the batch's.

    Like an `ACGAN` it logs the mean of a loss since the metrics were reset.
    """

    def __init__(self, make_optimizer):
        super().__init__()
        for name in ("generator", "discriminator"):
            layers = [keras.Input((1,)), keras.layers.BatchNormalization(name="norm")]
            setattr(self, name, keras.Sequential(layers, name=name))
        self.loss_mean = keras.metrics.Mean(name="generator_loss")
        self.built = True
        self.compile(optimizer=None, jit_compile=False)
        for name in ("generator", "discriminator"):
            setattr(self, f"{name}_optimizer", make_optimizer())
            optimizer = getattr(self, f"{name}_optimizer")
            optimizer.build(getattr(self, name).trainable_variables)

    @property
    def metrics(self):
        return [self.loss_mean]

    def train_step(self, batch):
        loss, *gradients, statistic = tf.unstack(tf.reduce_mean(batch, axis=0))
        for name, gradient in zip(("generator", "discriminator"), gradients, strict=True):
            variables = getattr(self, name).trainable_variables
            optimizer = getattr(self, f"{name}_optimizer")
            optimizer.apply([gradient * tf.ones(v.shape) for v in variables], variables)
        mean = self.generator.layers[0].moving_mean
        mean.assign(mean + statistic)
        self.loss_mean.update_state(loss)
        return self.get_metrics_result()


def plain():
    return Scripted(lambda: SGD(0.01))


def scaled(initial=4.0, **limits):
    return Scripted(lambda: LossScaleOptimizer(SGD(0.01), initial, **limits))


@pytest.fixture
def said():
    return []


@pytest.fixture
def fit(said):
    """Fits a `Scripted` model for some steps; returns its `Divergence`.

    `loss`, `generator`, `discriminator` and `statistic` say what differs from 1, 0, 0 and 0, by
    step counted from 1; `drawn` the grey levels of the images of both classes at each look.
    """

    def run(model, steps, drawn=(), **changes):
        script = np.tile(np.array([1, 0, 0, 0], np.float32), (steps, 1))
        for column, name in enumerate(("loss", "generator", "discriminator", "statistic")):
            for step, value in changes.pop(name, {}).items():
                script[step - 1, column] = value
        looks = iter(drawn)
        values = {"policy": "float32", "learning_rate": 2e-4, "on_divergence": "stop"}
        divergence = Divergence(
            lambda model: as_samples(next(looks)),
            REAL,
            NAMES,
            **{**values, "look_every": 250 if drawn else 0, "report": said.append, **changes},
        )
        data = tf.data.Dataset.from_tensor_slices(script).batch(1)
        model.fit(data, verbose=0, shuffle=False, callbacks=[divergence])
        return divergence

    return run


def as_samples(classes):
    """Samples whose images have the grey levels given, two of each class."""
    levels = np.array(classes, np.uint8).T[..., None, None, None]
    return np.broadcast_to(levels, (*levels.shape[:2], 4, 4, 1))


def skipped(first, last, loss=INF):
    """Steps in which float16 overflowed."""
    steps = range(first, last + 1)
    return {
        "loss": dict.fromkeys(steps, loss),
        "generator": dict.fromkeys(steps, NAN),
        "discriminator": dict.fromkeys(steps, INF),
    }


def kinds(divergence):
    return [(finding.kind, finding.step) for finding in divergence.findings]


def test_a_healthy_training_goes_to_its_end(fit, said):
    divergence = fit(plain(), 250)
    assert (divergence.found, divergence.ends_training) == (None, False)
    assert divergence.steps_done == 250
    assert divergence.is_good()
    assert said == []


@pytest.mark.parametrize("loss", [NAN, INF, -INF])
def test_a_loss_that_is_not_finite_ends_training_at_once(fit, said, loss):
    divergence = fit(plain(), 30, loss={7: loss})
    assert kinds(divergence) == [("loss", 7)]
    assert divergence.found.words == (
        "step 7: generator_loss is no longer finite: train with a lower --learning_rate than 0.0002"
    )
    assert divergence.ends_training
    assert divergence.steps_done == 7
    assert not divergence.is_good()
    assert said == []  # the caller says it


def test_continue_says_each_kind_once_and_goes_on(fit, said):
    divergence = fit(
        plain(),
        250,
        loss={7: NAN},
        generator={20: INF},
        on_divergence="continue",
    )
    assert divergence.steps_done == 250
    assert not divergence.ends_training
    assert kinds(divergence) == [("loss", 7), ("weights", 100)]
    assert said == [finding.words for finding in divergence.findings]


def test_in_a_low_precision_float32_is_a_way_out(fit):
    words = fit(plain(), 9, loss={7: NAN}, policy="mixed_bfloat16").found.words
    assert words.endswith("a lower --learning_rate than 0.0002 or --policy=float32")


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ({"generator": {20: NAN}}, "generator/norm/gamma and 1 more are"),
        ({"discriminator": {20: INF}}, "discriminator/norm/gamma and 1 more are"),
        ({"statistic": {20: NAN}}, "generator/norm/moving_mean is"),
    ],
)
def test_a_weight_or_statistic_with_finite_losses_is_found_every_100_steps(fit, what, name):
    divergence = fit(plain(), 250, **what)
    assert kinds(divergence) == [("weights", 100)]
    assert divergence.found.words.startswith(f"step 100: {name} no longer finite: ")
    assert divergence.steps_done == 100
    assert not divergence.is_good()


def test_an_optimizer_slot_is_looked_at_too(fit):
    # 1e30 squared overflows: Adam then divides by inf, and the weight stands still for ever.
    divergence = fit(Scripted(lambda: Adam(0.01)), 30, generator={20: 1e30}, check_every=10)
    assert kinds(divergence) == [("weights", 20)]
    assert "generator_optimizer/" in divergence.found.words


def test_steps_of_a_run_that_goes_on_count_from_its_beginning(fit):
    assert kinds(fit(plain(), 250, generator={20: NAN}, first_step=950)) == [("weights", 1000)]


def test_weights_are_looked_at_as_training_ends(fit):
    assert kinds(fit(plain(), 30, generator={20: NAN})) == [("weights", 30)]


def test_a_checkpoint_of_bad_weights_is_not_good(fit):
    good = {}

    class Asking(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            if batch + 1 in (10, 20):
                good[batch + 1] = divergence.is_good()

    divergence = Divergence(None, REAL, NAMES, "float32", 2e-4, "stop", None, look_every=0)
    script = np.zeros((30, 4), np.float32)
    script[14, 1] = NAN
    model = plain()
    data = tf.data.Dataset.from_tensor_slices(script).batch(1)
    model.fit(data, verbose=0, shuffle=False, callbacks=[divergence, Asking()])
    assert good == {10: True, 20: False}
    assert divergence.steps_done == 20  # asking ended the training


def test_a_few_skipped_steps_are_how_the_scale_is_found(fit, said):
    # The mean of the losses stays inf for all steps that follow.
    divergence = fit(scaled(2.0**15), 250, **skipped(1, 15), policy="mixed_float16")
    assert divergence.found is None
    assert divergence.steps_done == 250
    assert said == []


def test_a_skipped_step_that_leaves_bad_statistics_is_found_at_once(fit):
    divergence = fit(scaled(), 250, **skipped(7, 7), statistic={7: INF}, policy="mixed_float16")
    assert kinds(divergence) == [("weights", 7)]
    assert "generator/norm/moving_mean is no longer finite" in divergence.found.words


def test_100_skipped_steps_at_the_lowest_scale_are_found(fit):
    # The scale falls 4, 2, 1. Step 11, the first with a bad loss, sees 10 updates; step 100 sees
    # no more 89 steps later, and step 200 none 189 steps later.
    divergence = fit(scaled(), 300, **skipped(11, 300), policy="mixed_float16")
    assert kinds(divergence) == [("loss_scale", 200)]
    assert divergence.found.words == (
        "step 200: the loss scale of generator is 1, its lowest, and the gradients of the last "
        "189 steps were not finite: train with a lower --learning_rate than 0.0002 or "
        "--policy=float32"
    )
    assert not divergence.is_good()


def test_one_update_in_100_steps_is_enough(fit):
    overflows = skipped(11, 240)
    for steps in overflows.values():
        del steps[150]
    assert fit(scaled(), 240, **overflows).found is None


def test_a_scale_that_can_still_fall_is_not_found(fit):
    # 2**24 / 2**110 is above this floor of 2**-120.
    model = scaled(2.0**24, minimum_scale=2.0**-120)
    assert fit(model, 110, **skipped(1, 110), check_every=10).found is None


def test_one_of_two_optimizers_is_enough(fit):
    overflows = {"generator": dict.fromkeys(range(1, 301), INF)}
    divergence = fit(scaled(), 300, **overflows, policy="mixed_float16")
    assert kinds(divergence) == [("loss_scale", 200)]
    assert "the loss scale of generator is 1" in divergence.found.words


def test_a_constant_scale_that_is_too_high_has_another_way_out(fit):
    model = scaled(128.0, minimum_scale=128.0, maximum_scale=128.0)
    words = fit(model, 300, **skipped(1, 300), policy="mixed_float16").found.words
    assert "generator is 128, its lowest" in words or "discriminator is 128, its lowest" in words
    assert "--loss_scale=dynamic" in words


def test_a_step_that_float16_just_overflowed_in_is_no_good_checkpoint(fit):
    assert not fit(scaled(), 30, **skipped(30, 30)).is_good()
    assert fit(scaled(), 31, **skipped(30, 30)).is_good()


def test_a_skipped_step_that_lowered_the_scale_alone_is_a_good_checkpoint(fit):
    overflow = {"generator": {30: INF}}
    assert fit(scaled(), 30, **overflow).is_good()
    assert not fit(scaled(1.0), 30, **overflow).is_good()  # it can't fall


VARIED, ALIKE = (0, 200), (60, 62)


def test_a_class_whose_images_have_become_alike_is_found(fit):
    looks = [(VARIED, VARIED), *[(VARIED, ALIKE)] * 3]
    divergence = fit(plain(), 1200, looks)
    assert kinds(divergence) == [("collapse", 1000)]
    assert divergence.found.words == (
        "step 1,000: all images of class ship are alike (those of ship differ by 2.0 grey levels, "
        "real ones by 100.0): train with a lower --learning_rate than 0.0002, another --seed or "
        "more images"
    )
    assert divergence.steps_done == 1000


def test_images_that_differ_are_no_collapse(fit):
    divergence = fit(plain(), 800, [(VARIED, VARIED)] * 4)
    assert divergence.found is None
    assert divergence.is_good()


def test_a_class_that_begins_to_collapse_makes_no_good_checkpoint(fit):
    # The last look is that of `is_good`.
    assert not fit(plain(), 400, [(VARIED, VARIED), (VARIED, ALIKE)]).is_good()


def test_images_of_weights_that_are_not_finite_are_not_looked_at(fit):
    divergence = fit(plain(), 800, [None], generator={240: NAN}, on_divergence="continue")
    assert kinds(divergence) == [("weights", 250)]


def test_of_many_classes_five_are_named(fit):
    names = tuple("abcdefg")
    real = Spread(np.full(7, 100.0), np.full(7, 100.0))
    divergence = Divergence(
        lambda model: as_samples(next(looks)), real, names, "float32", 2e-4, "stop", None
    )
    looks = iter([(VARIED,) * 7, (ALIKE,) * 7, (ALIKE,) * 7])
    divergence.set_model(plain())
    for divergence.steps_done in (500, 1000, 1500):
        divergence.look()
    assert "all images of class a, b, c, d, e and 2 more are alike" in divergence.found.words


def test_a_run_that_goes_on_knows_what_was_varied(fit):
    before = fit(plain(), 250, [(VARIED, VARIED)])
    looks = [(ALIKE, VARIED)] * 3
    after = fit(plain(), 750, looks, first_step=250, state=before.state())
    assert kinds(after) == [("collapse", 1000)]


@pytest.mark.parametrize("policy", ["float32", "mixed_float16"])
def test_a_real_training_is_healthy_and_leaves_no_trace(tiny_images, policy):
    def train(*callbacks):
        keras.utils.set_random_seed(1)
        generator = build_generator("dcgan", (8, 8, 1), 2, 8, 8, policy)
        model = ACGAN(generator, build_discriminator("dcgan", (8, 8, 1), 2, 8, policy))
        make = LossScaleOptimizer if policy == "mixed_float16" else lambda optimizer: optimizer
        model.compile(*(make(Adam(2e-4, 0.5)) for _ in range(2)), jit_compile=False)
        data = batches(*tiny_images, 2, 16, 8, 0)
        model.fit(data, steps_per_epoch=12, verbose=0, shuffle=False, callbacks=callbacks)
        return model.get_weights()

    def draw(model):
        return images_by_class(model.generator, latent_vectors(8, 8, 3, 0), [0, 1])

    divergence = Divergence(
        draw, REAL, NAMES, policy, 2e-4, "stop", None, check_every=5, look_every=5
    )
    with_it, without = train(divergence), train()
    assert divergence.found is None
    assert all(np.array_equal(a, b) for a, b in zip(with_it, without, strict=True))


def test_two_replicas_are_read_as_one():
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        model = scaled()
    divergence = Divergence(None, REAL, NAMES, "mixed_float16", 2e-4, "stop", None, look_every=0)
    divergence.set_model(model)
    divergence.on_train_begin()
    assert divergence.check_weights()
    with strategy.scope():
        model.discriminator.layers[0].moving_variance.assign([INF])
    assert not divergence.check_weights()
    assert "discriminator/norm/moving_variance is no longer finite" in divergence.found.words
