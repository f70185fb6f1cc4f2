"""The networks of `acgan.networks` in PyTorch: same layers, same sizes, weights in the same order.

Images and feature maps lie in memory as [batch, height, width, channels] (PyTorch's
`channels_last`), so that what a dense layer gives becomes a feature map without being copied.
`torch.autocast` sets the layers' precision; heads and the image's sigmoid are float32, as in Keras.
Nothing here imports Keras: a process that runs PyTorch holds no TensorFlow.
"""

import torch
from torch import nn

KERNEL = {"kernel_size": 4, "stride": 2, "padding": 1}  # Keras' "same" where a side is even
NORMALIZATION = {"eps": 1e-5, "momentum": 0.1}  # Keras' momentum 0.9, the other way round
SLOPE = 0.2


class Generator(nn.Module):
    """`[latent float32 [batch, latent_dim], labels int64 [batch]]` to images in 0..1.

    Images are float32 [batch, channels, height, width].
    """

    def __init__(self, join, layers):
        super().__init__()
        self.join = join
        self.layers = layers

    def forward(self, latent, labels):
        return self.layers(self.join(latent, labels)).float().sigmoid()


class Discriminator(nn.Module):
    """Images as the generator's to `(source_logits [batch, 1], class_logits [batch, classes])`."""

    def __init__(self, trunk, source, class_features, classes):
        super().__init__()
        self.trunk = trunk
        self.class_features = class_features
        self.source = source
        self.classes = classes

    def forward(self, images):
        features = self.trunk(images)
        class_features = self.class_features(features)
        with torch.autocast(images.device.type, enabled=False):
            return self.source(features.float()), self.classes(class_features.float())


def build(network, image_shape, classes, latent_dim, width):
    """A new generator and discriminator, in training mode, float32, in `channels_last`.

    Arguments:
        network: a key of `NETWORKS`.
        image_shape: (height, width, channels); square, height divisible by 4.
        classes, latent_dim, width: as for `acgan.networks.build_generator`.
    """
    both = NETWORKS[network](image_shape, classes, latent_dim, width)
    return tuple(each.to(memory_format=torch.channels_last) for each in both)


def _dcgan(image_shape, classes, latent_dim, width):
    size, _, channels = image_shape
    doublings = _doublings(size)
    base = size >> doublings

    count = width * 4
    layers = [nn.Linear(latent_dim, base * base * count, bias=False)]
    layers += [nn.BatchNorm1d(base * base * count, **NORMALIZATION), nn.ReLU(inplace=True)]
    layers.append(_ToMap(base))
    for stage in reversed(range(1, doublings)):
        filters = width * min(4, 2**stage)
        layers.append(nn.ConvTranspose2d(count, filters, **KERNEL, bias=False))
        layers += [nn.BatchNorm2d(filters, **NORMALIZATION), nn.ReLU(inplace=True)]
        count = filters
    layers.append(nn.ConvTranspose2d(count, channels, **KERNEL))
    generator = Generator(_MultiplyEmbedding(classes, latent_dim), nn.Sequential(*layers))

    layers, count = [_Rescaling()], channels
    for stage in range(doublings):
        filters = width * min(4, 2 ** (stage + 1))
        layers += [nn.Conv2d(count, filters, **KERNEL), nn.LeakyReLU(SLOPE, inplace=True)]
        count = filters
    layers += [_ToVector(), nn.Linear(base * base * count, width * 8)]
    layers.append(nn.LeakyReLU(SLOPE, inplace=True))
    heads = nn.Linear(width * 8, 1), nn.Identity(), nn.Linear(width * 8, classes)
    return generator, Discriminator(nn.Sequential(*layers), *heads)


def _article(image_shape, classes, latent_dim, width):
    size, _, channels = image_shape
    base = size // 4

    layers, count = [], latent_dim + classes
    for units in (1024, base * base * 128):
        layers += [nn.Linear(count, units), nn.BatchNorm1d(units, **NORMALIZATION)]
        layers.append(nn.ReLU(inplace=True))
        count = units
    layers += [_ToMap(base), nn.ConvTranspose2d(128, 64, **KERNEL)]
    layers += [nn.BatchNorm2d(64, **NORMALIZATION), nn.ReLU(inplace=True)]
    layers.append(nn.ConvTranspose2d(64, channels, **KERNEL))
    generator = Generator(_ConcatenateOneHot(classes), nn.Sequential(*layers))

    trunk = nn.Sequential(
        nn.Conv2d(channels, 64, **KERNEL),
        nn.LeakyReLU(SLOPE, inplace=True),
        nn.Conv2d(64, 128, **KERNEL),
        nn.BatchNorm2d(128, **NORMALIZATION),
        nn.LeakyReLU(SLOPE, inplace=True),
        _ToVector(),
        nn.Linear(base * base * 128, 1024),
        nn.BatchNorm1d(1024, **NORMALIZATION),
        nn.LeakyReLU(SLOPE, inplace=True),
    )
    class_features = nn.Sequential(
        nn.Linear(1024, 128),
        nn.BatchNorm1d(128, **NORMALIZATION),
        nn.LeakyReLU(SLOPE, inplace=True),
    )
    heads = nn.Linear(1024, 1), class_features, nn.Linear(128, classes)
    return generator, Discriminator(trunk, *heads)


NETWORKS = {"dcgan": _dcgan, "article": _article}


def _doublings(size):
    """As in `acgan.networks`."""
    count = 0
    while size % 2 == 0 and (size // 2 >= 4 or not count):
        size, count = size // 2, count + 1
    return count


class _MultiplyEmbedding(nn.Module):
    def __init__(self, classes, latent_dim):
        super().__init__()
        self.embedding = nn.Embedding(classes, latent_dim)

    def forward(self, latent, labels):
        return latent * self.embedding(labels)


class _ConcatenateOneHot(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes

    def forward(self, latent, labels):
        one_hot = nn.functional.one_hot(labels, self.classes).to(latent.dtype)
        return torch.cat([latent, one_hot], dim=1)


class _Rescaling(nn.Module):
    """0..1 to -1..1."""

    def forward(self, images):
        return images * 2.0 - 1.0


class _ToMap(nn.Module):
    """[batch, side * side * channels] to [batch, channels, side, side] in `channels_last`."""

    def __init__(self, side):
        super().__init__()
        self.side = side

    def forward(self, vectors):
        maps = vectors.view(len(vectors), self.side, self.side, -1)
        return maps.permute(0, 3, 1, 2)


class _ToVector(nn.Module):
    """The opposite of `_ToMap`."""

    def forward(self, maps):
        return maps.permute(0, 2, 3, 1).flatten(1)
