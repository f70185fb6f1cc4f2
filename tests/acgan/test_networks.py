import keras
import numpy as np
import pytest

from acgan.networks import NETWORKS, build_discriminator, build_generator

SHAPES = [(28, 28, 1), (32, 32, 3), (12, 12, 2), (64, 64, 3), (36, 36, 1), (4, 4, 1)]


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_images_of_any_size_and_channels(network, shape):
    generator = build_generator(network, shape, 3, latent_dim=16, width=8)
    discriminator = build_discriminator(network, shape, 3, width=8)
    images = generator([np.zeros((2, 16), np.float32), np.array([0, 2])], training=False)
    source, classes = discriminator(images, training=False)
    assert images.shape == (2, *shape)
    assert (source.shape, classes.shape) == ((2, 1), (2, 3))
    assert 0 <= float(keras.ops.min(images)) <= float(keras.ops.max(images)) <= 1


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("policy", ["float32", "mixed_float16", "mixed_bfloat16"])
def test_heads_are_float32_and_inner_layers_follow_the_policy(network, policy):
    generator = build_generator(network, (28, 28, 1), 10, 16, 8, policy)
    discriminator = build_discriminator(network, (28, 28, 1), 10, 8, policy)
    for output in [generator.output, *discriminator.output]:
        assert output.dtype == "float32"
    compute_dtype = keras.DTypePolicy(policy).compute_dtype
    convolutions = [
        layer
        for model in (generator, discriminator)
        for layer in model.layers
        if isinstance(layer, keras.layers.Conv2D | keras.layers.Conv2DTranspose)
    ]
    assert len(convolutions) >= 4
    assert {layer.compute_dtype for layer in convolutions} == {compute_dtype}
    assert {w.dtype for m in (generator, discriminator) for w in m.trainable_weights} == {"float32"}


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("width", [8, 32, 40])
def test_hidden_widths_are_multiples_of_eight(network, width):
    generator = build_generator(network, (28, 28, 1), 10, 128, width)
    discriminator = build_discriminator(network, (28, 28, 1), 10, width)
    hidden = [
        layer.output.shape[-1]
        for model, heads in ((generator, 1), (discriminator, 2))
        for layer in model.layers
        if isinstance(
            layer, keras.layers.Dense | keras.layers.Conv2D | keras.layers.Conv2DTranspose
        )
        and layer.output.shape[-1] not in (1, 10)
    ]
    assert len(hidden) >= 4
    assert [units % 8 for units in hidden] == [0] * len(hidden)


def test_article_networks_have_the_articles_parameters():
    # CIFAR-10: 32x32x3 images, 10 classes, noise 100, counted layer by layer from the article.
    def normalized(units):
        return 4 * units  # scale, offset, mean and variance

    generator = (
        (110 * 1024 + 1024 + normalized(1024))
        + (1024 * 8192 + 8192 + normalized(8192))
        + (128 * 64 * 16 + 64 + normalized(64))
        + (64 * 3 * 16 + 3)
    )
    discriminator = (
        (3 * 64 * 16 + 64)
        + (64 * 128 * 16 + 128 + normalized(128))
        + (8192 * 1024 + 1024 + normalized(1024))
        + (1024 * 1 + 1)
    )
    classifier = (1024 * 128 + 128 + normalized(128)) + (128 * 10 + 10)
    shape = (32, 32, 3)
    assert build_generator("article", shape, 10, 100, None).count_params() == generator
    built = build_discriminator("article", shape, 10, None).count_params()
    assert built == discriminator + classifier
    assert round(generator / 1e6, 1) == 8.7 or round(generator / 1e6, 1) == 8.6
    assert round(classifier / 1e6, 2) == 0.13


def test_a_saved_generator_needs_nothing_but_keras(tmp_path):
    import subprocess
    import sys

    for network in NETWORKS:
        build_generator(network, (28, 28, 1), 10, 16, 8).save(tmp_path / f"{network}.keras")
    program = (
        "import sys, keras, numpy as np\n"
        "for path in sys.argv[1:]:\n"
        "    g = keras.saving.load_model(path)\n"
        "    print(g([np.zeros((2, 16), 'float32'), np.array([3, 7])]).shape)\n"
        "print([m for m in sys.modules if m.startswith('acgan')])\n"
    )
    output = subprocess.run(
        [sys.executable, "-c", program, *map(str, tmp_path.glob("*.keras"))],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    ).stdout
    assert output.split("\n")[:3] == ["(2, 28, 28, 1)", "(2, 28, 28, 1)", "[]"]
