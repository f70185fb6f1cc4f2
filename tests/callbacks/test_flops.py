import keras
import pytest
from keras import layers

from callbacks.flops import Passes, forward_flops, layer_calls, step_flops, uncounted


def model_of(shape, *stack):
    return keras.Sequential([keras.Input(shape), *stack])


def forward(model):
    return forward_flops(layer_calls(model))


@pytest.mark.parametrize(
    ("shape", "layer", "multiply_adds"),
    [
        ((5,), layers.Dense(7), 5 * 7),
        ((3, 5), layers.Dense(7), 3 * 5 * 7),
        ((8, 8, 3), layers.Conv2D(4, 3, padding="same"), 8 * 8 * 4 * (3 * 3 * 3)),
        ((8, 8, 3), layers.Conv2D(4, 4, strides=2, padding="same"), 4 * 4 * 4 * (4 * 4 * 3)),
        ((8, 8, 4), layers.Conv2D(6, 3, groups=2, padding="same"), 8 * 8 * 6 * (3 * 3 * 4 // 2)),
        ((8, 8, 3), layers.Conv2D(4, 3), 6 * 6 * 4 * (3 * 3 * 3)),
        ((4, 4, 6), layers.Conv2DTranspose(5, 4, strides=2, padding="same"), 4 * 4 * 6 * 4 * 4 * 5),
        ((8, 8, 3), layers.DepthwiseConv2D(3, padding="same"), 8 * 8 * 3 * 9),
        (
            (8, 8, 3),
            layers.SeparableConv2D(5, 3, padding="same"),
            8 * 8 * 3 * 9 + 8 * 8 * 3 * 5,
        ),
        ((3, 4), layers.EinsumDense("abc,cde->abde", (None, 2, 5)), 3 * 4 * 2 * 5),
        ((9,), layers.BatchNormalization(), 0),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_two_flops_for_each_multiply_add(shape, layer, multiply_adds):
    assert forward(model_of(shape, layer)) == 2 * multiply_adds


def test_attention_counts_projections_scores_and_values():
    tokens = keras.Input((6, 8))
    attention = layers.MultiHeadAttention(num_heads=2, key_dim=4, value_dim=3)
    model = keras.Model(tokens, attention(tokens, tokens))
    query_key = 2 * (6 * 8 * 2 * 4)
    value = 6 * 8 * 2 * 3
    scores_and_values = 6 * 6 * 2 * (4 + 3)
    output = 6 * (2 * 3) * 8
    assert forward(model) == 2 * (query_key + value + scores_and_values + output)


def test_a_layer_called_twice_counts_twice():
    dense = layers.Dense(5)
    assert forward(model_of((5,), dense, dense)) == 2 * (5 * 5 + 5 * 5)


def test_models_within_models_are_counted_once():
    inner = model_of((5,), layers.Dense(7))
    assert forward(model_of((5,), inner, layers.Dense(2))) == 2 * (5 * 7 + 7 * 2)


def test_a_plain_step_is_three_passes_less_the_first_input_gradient():
    model = model_of((5,), layers.Dense(7), layers.Dense(2))
    first, second = 2 * 5 * 7, 2 * 7 * 2
    assert step_flops(model, 10) == 10 * ((first + second) * 2 + second)


def test_frozen_layers_have_no_gradients_of_weights():
    model = model_of((5,), layers.Dense(7), layers.Dense(2))
    model.layers[0].trainable = False
    first, second = 2 * 5 * 7, 2 * 7 * 2
    assert step_flops(model, 10) == 10 * (first + 2 * second)


def test_a_step_of_its_own_says_what_it_runs():
    network = model_of((5,), layers.Dense(7), layers.Dense(2))

    class Twice(keras.Model):
        def training_passes(self):
            return [Passes(network, 2, weight_gradients=1, input_gradients=1, to_the_input=3)]

    first, second = 2 * 5 * 7, 2 * 7 * 2
    expected = 2 * (first + second) + (first + second) + second + 3 * (first + second)
    assert step_flops(Twice(), 4) == 4 * expected


def test_the_acgans_step_layer_by_layer():
    from acgan.model import ACGAN
    from acgan.networks import build_discriminator, build_generator

    model = ACGAN(
        build_generator("dcgan", (28, 28, 1), 10, 128, 32),
        build_discriminator("dcgan", (28, 28, 1), 10, 32),
    )
    dense, up_1, up_2 = 128 * 6272, 7 * 7 * 128 * 16 * 64, 14 * 14 * 64 * 16 * 1
    down_1, down_2 = 14 * 14 * 64 * 16 * 1, 7 * 7 * 128 * 16 * 64
    features, heads = 6272 * 256, 256 * 1 + 256 * 10
    # The generator's first product stands behind a trainable embedding: it has all three passes.
    generator = 3 * (dense + up_1 + up_2)
    inner = down_2 + features + heads
    # Real and generated images each forward and back; the generated ones back to the images.
    discriminator = 2 * (2 * (down_1 + inner) + inner) + (down_1 + inner)
    assert step_flops(model, 64) == 64 * 2 * (generator + discriminator)


def test_a_layer_without_a_rule_leaves_the_count_unknown():
    class Own(layers.Layer):
        def build(self, input_shape):
            self.matrix = self.add_weight(shape=(input_shape[-1], 3))

        def call(self, x):
            return x @ self.matrix

    model = model_of((5,), Own(name="own"))
    assert uncounted(layer_calls(model)) == ["own"]
    assert step_flops(model, 1) is None


def test_an_unknown_input_size_is_named():
    model = model_of((None, None, 3), layers.Conv2D(4, 3))
    with pytest.raises(ValueError, match="None, None, 3"):
        layer_calls(model)


def test_a_known_network_has_the_published_count():
    # MobileNetV2 1.0 at 224 pixels: 300 million multiply-adds, Sandler et al. 2018
    # (arXiv:1801.04381), table 4.
    model = keras.applications.MobileNetV2(weights=None)
    assert forward(model) / 2 / 1e6 == pytest.approx(300, rel=0.01)
