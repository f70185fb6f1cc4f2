import dataclasses

import pytest
from absl import flags as absl_flags

from acgan import command, train
from acgan.errors import UserError
from acgan.networks import NETWORKS
from acgan.settings import DEFAULTS, Settings


def test_every_flag_is_a_field_and_every_field_a_flag():
    fields = [field.name for field in dataclasses.fields(Settings)]
    assert sorted(fields) == sorted(command.import_flags(train.FLAGS))


def test_the_networks_to_choose_from_are_those_there_are():
    command.import_flags(["network"])
    choices = absl_flags.FLAGS["network"].parser.enum_values
    assert set(choices) == set(NETWORKS) == set(DEFAULTS)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, (32, 128, 3 * 2e-4)),
        ({"learning_rate": 1e-3}, (32, 128, 3 * 1e-3)),
        ({"network": "article"}, (None, 100, 2e-4)),
        ({"width": 64, "latent_dim": 7, "generator_learning_rate": 1e-4}, (64, 7, 1e-4)),
        ({"network": "article", "latent_dim": 7}, (None, 7, 2e-4)),
    ],
    ids=str,
)
def test_what_is_not_given_is_what_fits_the_network(make_settings, changes, expected):
    settings = make_settings(**changes)
    found = (settings.width, settings.latent_dim, settings.generator_learning_rate)
    assert found == pytest.approx(expected) if settings.width else found == expected


@pytest.mark.parametrize(
    ("limits", "minutes"),
    [({}, 3.0), ({"steps": 5}, None), ({"epochs": 1.0}, None), ({"minutes": 7.0}, 7.0)],
    ids=str,
)
def test_a_run_without_a_limit_trains_for_three_minutes(make_settings, limits, minutes):
    assert make_settings(**limits).minutes == minutes


@pytest.mark.parametrize(
    ("limits", "steps"),
    [
        ({}, None),
        ({"minutes": 1.0}, None),
        ({"steps": 40}, 40),
        ({"epochs": 2.0}, 32),  # 2 * 1000 / 64 = 31.25
        ({"epochs": 0.001}, 1),  # 0.015625
        ({"epochs": 2.0, "steps": 40}, 32),
        ({"epochs": 2.0, "steps": 20}, 20),
        ({"epochs": 4.0, "batch_size": 100}, 4 * 10),
    ],
    ids=str,
)
def test_the_earlier_limit_counts(make_settings, limits, steps):
    assert make_settings(**limits).total_steps(1000) == steps


@pytest.mark.parametrize(("epochs", "batch_size"), [(0.07, 50), (0.14, 100), (1.12, 16)])
def test_a_whole_number_of_batches_is_not_rounded_up(make_settings, epochs, batch_size):
    settings = make_settings(epochs=epochs, batch_size=batch_size)
    assert settings.total_steps(5000) == round(epochs * 5000 / batch_size)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"network": "article", "width": 64}, "--width=64 .*--network=article.*leave it out"),
        ({"width": 20}, "--width=20 is not a multiple of 8"),
        ({"image_size": 30}, "--image_size=30 is not divisible by 4"),
        ({"loss_scale": "tiny"}, "--loss_scale=tiny .*'dynamic'.*between 1 and 16777216"),
        ({"loss_scale": "0.5"}, "--loss_scale=0.5 "),
        ({"loss_scale": "nan"}, "--loss_scale=nan "),
        ({"loss_scale": "inf"}, "--loss_scale=inf "),
        ({"loss_scale": "16777217"}, "--loss_scale=16777217 "),
    ],
    ids=str,
)
def test_values_that_do_not_go_together_are_refused(make_settings, changes, message):
    with pytest.raises(UserError, match=message):
        make_settings(**changes)


@pytest.mark.parametrize(
    ("text", "value"),
    [("dynamic", "dynamic"), ("128", 128.0), ("1", 1.0), ("16777216", 2.0**24)],
)
def test_a_loss_scale_is_dynamic_or_a_number(make_settings, text, value):
    assert make_settings(loss_scale=text).loss_scale == value


def test_values_have_plain_types(make_settings):
    settings = make_settings(channels="3", classes=["a", "b"])
    assert (settings.channels, settings.classes) == (3, ("a", "b"))
    assert make_settings().channels is None


def test_settings_stay_as_they_are(make_settings):
    with pytest.raises(dataclasses.FrozenInstanceError):
        make_settings().seed = 1
