import keras
import numpy as np
import pytest

from acgan.benchmarks.arithmetic import arithmetic
from acgan.benchmarks.article_scheme import ArticleScheme, HostFeed
from acgan.model import ACGAN
from acgan.networks import build_discriminator, build_generator
from callbacks.flops import step_flops

SHAPE, CLASSES, LATENT, WIDTH, BATCH = (8, 8, 1), 2, 16, 8, 16


def networks(network="dcgan"):
    keras.utils.set_random_seed(0)
    return (
        build_generator(network, SHAPE, CLASSES, LATENT, WIDTH),
        build_discriminator(network, SHAPE, CLASSES, WIDTH),
    )


def scheme(network="dcgan", rates=(1e-3, 1e-3, 1e-3)):
    rates = iter(rates)
    return ArticleScheme(*networks(network), lambda: keras.optimizers.SGD(next(rates)))


@pytest.mark.parametrize(
    ("network", "of_q"),
    # The dcgan's class head is one layer; the article's has another with its normalization before.
    [("dcgan", {"class"}), ("article", {"class", "dense", "batch_normalization"})],
)
def test_the_classifier_is_what_the_source_head_does_not_need(network, of_q):
    made = scheme(network)
    names = {v.path.split("/")[0].rstrip("0123456789").rstrip("_") for v in made.variables["Q"]}
    assert names == of_q
    d_and_q = {id(v) for v in made.variables["D"]} | {id(v) for v in made.variables["Q"]}
    assert d_and_q == {id(v) for v in made.discriminator.trainable_variables}


@pytest.mark.parametrize("frozen", ["G", "D", "Q"])
def test_each_network_is_updated_by_its_own_optimizer_once_a_step(tiny_images, frozen):
    made = scheme(rates=[0.0 if name == frozen else 1e-2 for name in "GDQ"])
    before = {name: [v.numpy() for v in variables] for name, variables in made.variables.items()}
    made.step(*HostFeed(*tiny_images, CLASSES, BATCH, LATENT).batch())
    for name, variables in made.variables.items():
        assert int(made.optimizers[name].iterations.numpy()) == 1
        # SGD at rate 0 leaves all as it was: nobody else updates these variables.
        same = [np.array_equal(b, v.numpy()) for b, v in zip(before[name], variables, strict=True)]
        assert all(same) if name == frozen else not any(same)


def test_the_flops_are_those_of_both_passes():
    # Multiply-adds of an image. G: dense 16 x 512, transposed convolution 512 inputs x 16: forward
    # in both passes, and once back for weights and inputs. D: convolution 256 outputs x 16, dense
    # 256 x 64, heads 64 x 3: forward three times, back for the weights twice and, where layers lie
    # below, to their outputs twice; and once from the generator's loss through to the images.
    generator = (2 + 1 + 1) * (16 * 512 + 512 * 16)
    convolution, rest = 256 * 16, 256 * 64 + 64 * 3
    discriminator = (3 + 2 + 1) * convolution + (3 + 2 + 2 + 1) * rest
    made = scheme()
    assert step_flops(made, BATCH) == 2 * BATCH * (generator + discriminator)
    # This project generates once, and passes that through the discriminator once.
    own = (1 + 1 + 1) * (16 * 512 + 512 * 16)
    own += (2 + 2 + 1) * convolution + (2 + 2 + 2 + 1) * rest
    expected = own / (generator + discriminator)
    assert arithmetic(ACGAN(*networks()), made, BATCH) == pytest.approx(expected)


def test_the_feed_gives_every_image_once_an_epoch_as_floats(tiny_images):
    _, labels = tiny_images
    feed = HostFeed(np.arange(40, dtype=np.uint8).reshape(40, 1, 1, 1), labels, 2, 20, LATENT)
    for _ in range(2):
        batches = [feed.batch() for _ in range(2)]
        seen = np.concatenate([batch[0] for batch in batches]).ravel() * 255
        assert sorted(np.rint(seen)) == list(range(40))
        assert [labels[int(i)] for i in np.rint(seen)] == [n for b in batches for n in b[1]]
    assert [part.dtype for part in batches[0]] == ["float32", "int32", "float32", "int32"]
    assert (np.abs(batches[0][2]) <= 1).all()
    assert batches[0][2].shape == (20, LATENT)
