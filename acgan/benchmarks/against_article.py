"""Row 3: this project's step against the article's scheme."""

import keras

from acgan.benchmarks import loops
from acgan.benchmarks.arithmetic import arithmetic, flops_note
from acgan.benchmarks.article_scheme import ArticleScheme, HostFeed
from acgan.benchmarks.measurement import measurement
from acgan.benchmarks.pairs import compare
from acgan.model import ACGAN


def rows(pairs):
    """Each as it is trained: this project's fed by its pipeline, the article's from the host.

    The article's clock also held its first step, which builds the graph. Here both are warm.
    """
    return [_row(network, pairs) for network in loops.NETWORKS]


def _row(network, pairs):
    networks = loops.networks(network, "float32", loops.IMAGE_SHAPE)
    scheme = ArticleScheme(*networks, lambda: keras.optimizers.Adam(**loops.ADAM))
    feed = HostFeed(*loops.random_images(), loops.CLASSES, loops.BATCH, loops.LATENT_DIM)
    ratio = compare(
        loops.loop(ACGAN, network), loops.timed(lambda: scheme.step(*feed.batch())[0]), pairs
    )
    own = loops.model(ACGAN, network)
    return measurement(
        3,
        f"step / article's scheme, {network}",
        ratio,
        arithmetic=arithmetic(own, scheme, loops.BATCH),
        note=flops_note(own, scheme, loops.BATCH),
    )
