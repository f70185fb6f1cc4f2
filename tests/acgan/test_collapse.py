import json

import keras
import numpy as np
import pytest

from acgan.collapse import CollapseWatch, generated_spread, real_spread, variety
from acgan.generation import images_by_class
from acgan.model import ACGAN
from acgan.networks import build_discriminator, build_generator
from acgan.pipeline import batches, latent_vectors

LATENT = 8


def of(*levels, shape=(4, 4, 1)):
    """Images of one grey level each, uint8 [levels, *shape]."""
    return np.stack([np.full(shape, level, np.uint8) for level in levels])


def samples(*classes):
    """Samples of some classes, whose images have the grey levels given."""
    return np.stack([of(*levels) for levels in classes], axis=1)


# Real images that differ by 100 grey levels in each class.
REAL = real_spread(of(0, 100, 255, 155), np.array([0, 0, 1, 1]), 2)
VARIED, ALIKE, GREY = (0, 80, 100), (200, 200, 204), (126, 127, 128)


def test_variety_is_the_mean_difference_of_all_pairs():
    assert variety(of(10, 50, 0)) == pytest.approx((10 + 40 + 50) / 3)
    assert variety(of(255, 0, 0, 255)) == pytest.approx(4 * 255 / 6)
    halves = of(10, 30)
    halves[:, :2] = 7  # the upper halves are the same
    assert variety(halves) == pytest.approx((0 + 20) / 2)


def test_variety_of_a_single_image_is_unknown():
    assert np.isnan(variety(of(10)))


def test_classes_are_measured_each_by_itself():
    assert REAL.variety.tolist() == [100, 100]
    assert REAL.from_grey.tolist() == [(127.5 + 27.5) / 2, (127.5 + 27.5) / 2]
    spread = generated_spread(samples((10, 50, 0), (7, 7, 7)))
    assert spread.variety == pytest.approx([100 / 3, 0])
    assert spread.from_grey == pytest.approx([(117.5 + 77.5 + 127.5) / 3, 120.5])


def test_of_many_real_images_the_first_64_of_a_class_count():
    images, labels = of(*[0, 255] * 32, *[9] * 500), np.zeros(564, int)
    # 32 * 32 of the 64 * 63 / 2 pairs differ
    assert real_spread(images, labels, 1).variety == pytest.approx([255 * 32 * 32 / (32 * 63)])


def look_all(*looks, real=REAL):
    """What each look finds: `looks` are (step, grey levels of class 0); class 1 is varied."""
    watch = CollapseWatch(real)
    return [watch.look(step, samples(levels, VARIED)) for step, levels in looks]


def test_a_class_that_was_varied_and_is_alike_for_500_steps_has_collapsed():
    looks = [(500, VARIED), (1000, ALIKE), (1499, ALIKE), (1500, ALIKE)]
    assert look_all(*looks) == [(), (), (), (0,)]


def test_alike_at_one_look_is_chance():
    looks = [(500, VARIED), (1000, ALIKE), (1500, VARIED), (2000, ALIKE)]
    assert look_all(*looks) == [(), (), (), ()]


def test_images_that_differ_a_little_are_not_alike():
    # 100 * 5 % grey levels are the limit: (0 + 6 + 6) / 3 = 4, (0 + 9 + 9) / 3 = 6
    alike, differing = (200, 200, 206), (200, 200, 209)
    assert look_all((500, VARIED), (1000, alike), (1500, alike))[-1] == (0,)
    assert look_all((500, VARIED), (1000, differing), (1500, differing))[-1] == ()


def test_a_class_that_never_was_varied_has_collapsed_500_steps_after_it_had_time_to_learn():
    # It left mid-grey at step 400: 4 * 400 = 1600, 1600 + 500 = 2100.
    looks = [(200, GREY), (400, ALIKE), (1599, ALIKE), (1600, ALIKE), (2099, ALIKE), (2100, ALIKE)]
    assert look_all(*looks) == [(), (), (), (), (), (0,)]


def test_a_slow_generator_has_more_time():
    looks = [(3000, GREY), (4000, ALIKE), (12_000, ALIKE), (15_999, ALIKE)]
    assert look_all(*looks) == [(), (), (), ()]


def test_grey_images_are_not_learned_yet():
    assert look_all(*((step, GREY) for step in range(0, 20_000, 500))) == [()] * 40


def test_a_class_that_turned_grey_has_collapsed():
    assert look_all((500, VARIED), (1000, GREY), (1500, GREY))[-1] == (0,)


@pytest.mark.parametrize("levels", [(7, 7), (7,)], ids=["equal", "single"])
def test_real_images_without_variety_set_no_measure(levels):
    labels = np.array([*[0] * len(levels), 1, 1])
    real = real_spread(of(*levels, 0, 100), labels, 2)
    assert look_all((500, VARIED), (1000, (7, 7, 7)), (1500, (7, 7, 7)), real=real)[-1] == ()


def test_suspects_are_known_before_they_have_collapsed():
    watch = CollapseWatch(REAL)
    watch.look(500, samples(VARIED, ALIKE))
    assert watch.suspects == ()  # class 1 has yet to be learned
    watch.look(600, samples(ALIKE, ALIKE))
    assert watch.suspects == (0,)
    watch.look(2000, samples(VARIED, ALIKE))
    assert watch.suspects == (1,)


def test_a_run_that_goes_on_sees_what_it_would_have_seen():
    looks = [(100, GREY), (250, VARIED), (500, ALIKE), (750, ALIKE), (1000, ALIKE)]
    undisturbed = look_all(*looks)
    assert undisturbed == [(), (), (), (), (0,)]
    state, found = None, []
    for step, levels in looks:
        watch = CollapseWatch(REAL, state)
        found.append(watch.look(step, samples(levels, VARIED)))
        state = json.loads(json.dumps(watch.state()))
    assert found == undisturbed


def small_model(uses_latent):
    keras.utils.set_random_seed(1)
    generator = build_generator("dcgan", (8, 8, 1), 2, LATENT, 8)
    if not uses_latent:
        latent, labels = generator.inputs
        images = generator([keras.ops.ones_like(latent), labels])
        generator = keras.Model([latent, labels], images, name="generator")
    model = ACGAN(generator, build_discriminator("dcgan", (8, 8, 1), 2, 8))
    model.compile(*(keras.optimizers.Adam(2e-3, 0.5) for _ in range(2)), jit_compile=False)
    return model


def draw(model):
    return images_by_class(model.generator, latent_vectors(8, LATENT, 3, 0), [0, 1])


def test_a_generator_that_was_never_trained_has_not_collapsed(tiny_images):
    watch, model = CollapseWatch(real_spread(*tiny_images, 2)), small_model(uses_latent=True)
    assert [watch.look(step, draw(model)) for step in (500, 2500, 5000)] == [(), (), ()]
    assert all(watch.latest.variety < 0.05 * watch.real.variety)  # although its images are alike


@pytest.mark.parametrize(("uses_latent", "collapsed"), [(True, ()), (False, (0, 1))])
def test_a_generator_that_ignores_its_latent_vectors_has_collapsed(
    tiny_images, uses_latent, collapsed
):
    watch, model = CollapseWatch(real_spread(*tiny_images, 2)), small_model(uses_latent)
    model.fit(
        batches(*tiny_images, 2, 16, LATENT, 0), steps_per_epoch=150, verbose=0, shuffle=False
    )
    assert [watch.look(step, draw(model)) for step in (250, 1000)] == [(), ()]
    assert watch.look(1500, draw(model)) == collapsed
