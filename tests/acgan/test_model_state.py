import keras
import numpy as np
import pytest

from acgan.building import build_model
from acgan.errors import UserError
from acgan.model_state import get_arrays, set_arrays
from acgan.pipeline import batches


@pytest.fixture
def trained(make_settings, tiny_images):
    """Builds a model and trains it for some steps from `first_step` on."""

    def train(steps=0, first_step=0, arrays=None, policy="float32", **changes):
        settings = make_settings(**{"batch_size": 8, "width": 8, **changes})
        model = build_model(settings, (8, 8, 1), 2, policy)
        if arrays:
            set_arrays(model, arrays, "step-1.npz")
        data = batches(*tiny_images, 2, 8, settings.latent_dim, 0, first_step)
        if steps:
            model.fit(data, steps_per_epoch=steps, verbose=0, shuffle=False)
        return model

    return train


@pytest.mark.parametrize("policy", ["float32", "mixed_float16"])
def test_training_goes_on_to_the_last_bit(trained, policy):
    whole = get_arrays(trained(6, policy=policy))
    first = get_arrays(trained(4, policy=policy))
    keras.layers.Dense(1)  # other layers shift the numbers in Keras' own names
    second = get_arrays(trained(2, 4, first, policy))
    # The losses' means are reset by every `fit`, so they are not the same over two of them.
    kept = [name for name in whole if not name.startswith("losses")]
    assert {name.partition("/")[0] for name in kept} >= {"generator", "discriminator_optimizer"}
    for name in kept:
        assert second[name].tobytes() == whole[name].tobytes(), name
    assert any(whole[name].tobytes() != first[name].tobytes() for name in kept)


def test_the_loss_scale_is_a_group_of_its_own(trained):
    names = get_arrays(trained(policy="mixed_float16"))
    assert sum("generator_loss_scale/" in name for name in names) == 4
    assert not any("loss_scale" in name for name in get_arrays(trained()))


def test_another_policy_takes_all_but_the_loss_scale(trained):
    before = get_arrays(trained(3))
    model = trained(policy="mixed_float16")
    set_arrays(model, before, "step-3.npz", with_loss_scale=False)
    after = get_arrays(model)
    for name in before:
        assert after[name].tobytes() == before[name].tobytes()
    assert float(model.generator_optimizer.dynamic_scale) == 2.0**15


def test_another_width_is_named_and_changes_nothing(trained):
    arrays = get_arrays(trained())
    model = trained(width=16)
    before = get_arrays(model)
    with pytest.raises(UserError, match=r"step-9\.npz does not fit: generator/\d{4} \(.*shape"):
        set_arrays(model, arrays, "step-9.npz")
    assert all(np.array_equal(before[name], value) for name, value in get_arrays(model).items())


def test_arrays_of_another_network_are_named(trained):
    arrays = get_arrays(trained())
    del arrays["generator/0000"]
    with pytest.raises(UserError, match="the checkpoint has no generator/0000"):
        set_arrays(trained(), arrays, "step-9.npz")
