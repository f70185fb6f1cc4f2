"""The step of `acgan.model.ACGAN` in PyTorch, as fast as PyTorch's own means make it."""

import torch
from torch.nn import functional

from acgan.benchmarks import pytorch_networks

ADAM = {"lr": 2e-4, "betas": (0.5, 0.999), "eps": 1e-7}  # as `acgan.benchmarks.loops.ADAM`


class PyTorchACGAN:
    """A generator and a discriminator that are trained together.

    One forward pass of the generator serves both networks; real and generated images pass the
    discriminator as a batch each. Each loss goes back only to the weights that it trains.

    Arguments:
        network: a key of `pytorch_networks.NETWORKS`.
        image_shape: (height, width, channels).
        classes, latent_dim, width: as for `acgan.networks.build_generator`.
        bfloat16: whether layers run in bfloat16, by `torch.autocast`; weights stay float32.
        compiled: whether `torch.compile` makes forward and backward passes one graph.
        device: "cpu" or "cuda".
    """

    def __init__(
        self,
        network,
        image_shape,
        classes,
        latent_dim,
        width,
        bfloat16=False,
        compiled=False,
        device="cpu",
    ):
        self.device = device
        self.bfloat16 = bfloat16
        self.generator, self.discriminator = (
            each.to(device)
            for each in pytorch_networks.build(network, image_shape, classes, latent_dim, width)
        )
        self.networks = (self.generator, self.discriminator)
        # One kernel for all weights of a network: the fastest of Adam's forms.
        self.optimizers = [
            torch.optim.Adam(each.parameters(), **ADAM, fused=True) for each in self.networks
        ]
        self.loss_sums = torch.zeros(4, device=device)
        self._compute = self.compute_gradients
        if compiled:
            # `torch.autograd.grad` becomes part of the graph, so that only what is needed of both
            # backward passes is computed, with nothing between them and the forward pass.
            torch._dynamo.config.trace_autograd_ops = True
            self._compute = torch.compile(self._compute, fullgraph=True, dynamic=False)

    def compute_gradients(self, images, labels, latent, generated_labels):
        """Losses and gradients of both networks for one batch, the weights left as they are.

        Arguments:
            images: uint8 [batch, channels, height, width].
            labels, generated_labels: int64 [batch].
            latent: float32 [batch, latent_dim].

        Returns:
            (losses, generator's gradients, discriminator's gradients): float32 [4] in the order of
            `acgan.model.LOSSES`, and tuples in the order of the network's `parameters()`.
        """
        images = images.float() / 255.0
        with torch.autocast(self.device, torch.bfloat16, enabled=self.bfloat16):
            generated = self.generator(latent, generated_labels)
            real_source, real_classes = self.discriminator(images)
            source, classes = self.discriminator(generated)
        class_loss_real = functional.cross_entropy(real_classes, labels)
        class_loss_generated = functional.cross_entropy(classes, generated_labels)
        discriminator_loss = (
            functional.softplus(-real_source).mean()
            + functional.softplus(source).mean()
            + class_loss_real
        )
        generator_loss = functional.softplus(-source).mean() + class_loss_generated
        discriminator_gradients = torch.autograd.grad(
            discriminator_loss, list(self.discriminator.parameters()), retain_graph=True
        )
        generator_gradients = torch.autograd.grad(generator_loss, list(self.generator.parameters()))
        losses = (generator_loss, discriminator_loss, class_loss_real, class_loss_generated)
        losses = torch.stack([loss.detach() for loss in losses])
        return losses, generator_gradients, discriminator_gradients

    def train_step(self, batch):
        """Trains both networks with a batch, see `compute_gradients`; adds to `loss_sums`.

        Returns:
            The losses. They may still be on the device, and nothing waits for them.
        """
        losses, *gradients = self._compute(*batch)
        for network, optimizer, of_network in zip(
            self.networks, self.optimizers, gradients, strict=True
        ):
            for parameter, gradient in zip(network.parameters(), of_network, strict=True):
                parameter.grad = gradient
            optimizer.step()
        self.loss_sums += losses
        return losses


def batches(images, labels, classes, batch_size, latent_dim, device="cpu"):
    """Endless training batches, drawn on the device from data that lie there.

    Every image is seen at most once an epoch, in an order that differs from epoch to epoch.

    Arguments:
        images: uint8 array [count, height, width, channels].
        labels: int array [count].
        batch_size: images per batch, 1..count.

    Yields:
        Tuples as `PyTorchACGAN.compute_gradients` takes them.
    """
    images = torch.from_numpy(images).to(device).permute(0, 3, 1, 2)
    labels = torch.from_numpy(labels).to(device).long()
    while True:
        order = torch.randperm(len(images), device=device)
        for rows in order.split(batch_size)[: len(images) // batch_size]:
            latent = torch.empty(batch_size, latent_dim, device=device).uniform_(-1, 1)
            generated_labels = torch.randint(classes, (batch_size,), device=device)
            yield images[rows], labels[rows], latent, generated_labels
