"""Generators and discriminators, written with Keras' own layers alone.

A generator turns `[latent, labels]` into images, a discriminator turns images into
`[source_logits, class_logits]`; both heads stand on one trunk. Because no layer is our own, a saved
generator loads with plain `keras.saving.load_model`.

Every layer takes its precision from the policy that is handed in; heads and the image's sigmoid are
float32 in every policy, and Keras computes batch normalization in float32 by itself.
"""

import keras
from keras import layers

MOMENTUM = 0.9  # of batch normalization, as in the article
EPSILON = 1e-5


def build_generator(network, image_shape, classes, latent_dim, width, dtype="float32"):
    """Builds the generator of a network.

    Arguments:
        network: a key of `NETWORKS`.
        image_shape: (height, width, channels); square, height divisible by 4.
        classes: number of classes, at least 2.
        latent_dim: length of a latent vector.
        width: base channel count of `dcgan`, a multiple of 8; `article` has fixed widths.
        dtype: a `keras.DTypePolicy` or its name.

    Returns:
        A `keras.Model`: `[float32 [batch, latent_dim] in -1..1, int32 [batch]]` to
        float32 [batch, height, width, channels] in 0..1.
    """
    generator, _ = NETWORKS[network]
    return generator(image_shape, classes, latent_dim, width, keras.dtype_policies.get(dtype))


def build_discriminator(network, image_shape, classes, width, dtype="float32"):
    """Builds the discriminator of a network; arguments as for `build_generator`.

    Returns:
        A `keras.Model`: images float32 [batch, height, width, channels] in 0..1 to
        `[source_logits [batch, 1], class_logits [batch, classes]]`, both float32.
    """
    _, discriminator = NETWORKS[network]
    return discriminator(image_shape, classes, width, keras.dtype_policies.get(dtype))


def _dcgan_generator(image_shape, classes, latent_dim, width, dtype):
    size, _, channels = image_shape
    doublings = _doublings(size)
    base = size >> doublings

    latent, labels = _generator_inputs(latent_dim)
    embedded = layers.Embedding(classes, latent_dim, dtype=dtype, name="label_embedding")(labels)
    x = layers.Multiply(dtype=dtype)([latent, embedded])
    x = layers.Dense(base * base * width * 4, use_bias=False, dtype=dtype)(x)
    x = layers.ReLU(dtype=dtype)(_normalize(x, dtype))
    x = layers.Reshape((base, base, width * 4), dtype=dtype)(x)
    for stage in reversed(range(1, doublings)):
        filters = width * min(4, 2**stage)
        x = layers.Conv2DTranspose(
            filters, 4, strides=2, padding="same", use_bias=False, dtype=dtype
        )(x)
        x = layers.ReLU(dtype=dtype)(_normalize(x, dtype))
    return keras.Model([latent, labels], _images(x, channels, dtype), name="generator")


def _dcgan_discriminator(image_shape, classes, width, dtype):
    # No batch normalization here: with it the discriminator got so far ahead that on drawings the
    # generator's FID rose again after a minute; without it, it fell for as long as was trained.
    images = keras.Input(image_shape, name="images")
    x = layers.Rescaling(2.0, offset=-1.0, dtype=dtype)(images)
    for stage in range(_doublings(image_shape[0])):
        filters = width * min(4, 2 ** (stage + 1))
        x = layers.Conv2D(filters, 4, strides=2, padding="same", dtype=dtype)(x)
        x = layers.LeakyReLU(0.2, dtype=dtype)(x)
    x = layers.Dense(width * 8, dtype=dtype)(layers.Flatten(dtype=dtype)(x))
    features = layers.LeakyReLU(0.2, dtype=dtype)(x)
    return keras.Model(images, _heads(features, features, classes), name="discriminator")


def _article_generator(image_shape, classes, latent_dim, width, dtype):
    size, _, channels = image_shape
    base = size // 4
    latent, labels = _generator_inputs(latent_dim)
    one_hot = keras.ops.one_hot(labels, classes, dtype="float32")
    x = layers.Concatenate(dtype=dtype)([latent, one_hot])
    for units in (1024, base * base * 128):
        x = layers.ReLU(dtype=dtype)(_normalize(layers.Dense(units, dtype=dtype)(x), dtype))
    x = layers.Reshape((base, base, 128), dtype=dtype)(x)
    x = layers.Conv2DTranspose(64, 4, strides=2, padding="same", dtype=dtype)(x)
    x = layers.ReLU(dtype=dtype)(_normalize(x, dtype))
    return keras.Model([latent, labels], _images(x, channels, dtype), name="generator")


def _article_discriminator(image_shape, classes, width, dtype):
    images = keras.Input(image_shape, name="images")
    x = layers.Conv2D(64, 4, strides=2, padding="same", dtype=dtype)(images)
    x = layers.LeakyReLU(0.2, dtype=dtype)(x)
    x = layers.Conv2D(128, 4, strides=2, padding="same", dtype=dtype)(x)
    x = layers.LeakyReLU(0.2, dtype=dtype)(_normalize(x, dtype))
    x = layers.Dense(1024, dtype=dtype)(layers.Flatten(dtype=dtype)(x))
    features = layers.LeakyReLU(0.2, dtype=dtype)(_normalize(x, dtype))
    x = layers.Dense(128, dtype=dtype)(features)
    class_features = layers.LeakyReLU(0.2, dtype=dtype)(_normalize(x, dtype))
    return keras.Model(images, _heads(features, class_features, classes), name="discriminator")


def _doublings(size):
    """How often a side can be halved and stays a whole number of at least 4; once in any case."""
    count = 0
    while size % 2 == 0 and (size // 2 >= 4 or not count):
        size, count = size // 2, count + 1
    return count


def _generator_inputs(latent_dim):
    latent = keras.Input((latent_dim,), name="latent")
    return latent, keras.Input((), dtype="int32", name="labels")


def _images(x, channels, dtype):
    x = layers.Conv2DTranspose(channels, 4, strides=2, padding="same", dtype=dtype)(x)
    return layers.Activation("sigmoid", dtype="float32", name="images")(x)


def _normalize(x, dtype):
    return layers.BatchNormalization(momentum=MOMENTUM, epsilon=EPSILON, dtype=dtype)(x)


def _heads(source_features, class_features, classes):
    return [
        layers.Dense(1, dtype="float32", name="source")(source_features),
        layers.Dense(classes, dtype="float32", name="class")(class_features),
    ]


NETWORKS = {
    "dcgan": (_dcgan_generator, _dcgan_discriminator),
    "article": (_article_generator, _article_discriminator),
}
