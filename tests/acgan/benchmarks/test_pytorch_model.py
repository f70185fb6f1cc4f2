"""The networks and the step in PyTorch are those of this project. Needs the extra `bench`."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from acgan.model import ACGAN, LOSSES
from acgan.networks import build_discriminator, build_generator
from acgan.pipeline import training_batch

torch = pytest.importorskip("torch")

from acgan.benchmarks.pytorch_model import PyTorchACGAN, batches  # noqa: E402

SHAPE, CLASSES, LATENT_DIM, WIDTH, BATCH = (8, 8, 1), 2, 16, 8, 16
NETWORKS = ("dcgan", "article")


@pytest.fixture(params=NETWORKS)
def both(request):
    """This project's model and PyTorch's of the same network, with the same weights."""
    keras.utils.set_random_seed(0)
    own = ACGAN(
        build_generator(request.param, SHAPE, CLASSES, LATENT_DIM, WIDTH),
        build_discriminator(request.param, SHAPE, CLASSES, WIDTH),
    )
    own.compile(*(keras.optimizers.Adam(2e-4, 0.5) for _ in range(2)), jit_compile=False)
    theirs = PyTorchACGAN(request.param, SHAPE, CLASSES, LATENT_DIM, WIDTH)
    for name in ("generator", "discriminator"):
        for variable, parameter in pairs(getattr(own, name), getattr(theirs, name)):
            with torch.no_grad():
                parameter.copy_(torch.from_numpy(as_pytorch(variable, variable.numpy())))
    return own, theirs


def pairs(network, module):
    """Variables of a Keras network and parameters of a PyTorch module, which lie alike."""
    return zip(in_pytorchs_order(network), module.parameters(), strict=True)


def in_pytorchs_order(network):
    """Trainable variables, the heads' last: source, then class."""
    heads = [layer for layer in network.layers if layer.name in ("source", "class")]
    heads.sort(key=lambda layer: layer.name, reverse=True)
    others = [layer for layer in network.layers if layer not in heads]
    return [variable for layer in (*others, *heads) for variable in layer.trainable_variables]


def as_pytorch(variable, values):
    """Values of a variable or of its gradient in the layout that PyTorch's layer has."""
    if values.ndim == 4:  # height, width, then channels in the other order
        return values.transpose(3, 2, 0, 1).copy()
    return values.T.copy() if variable.path.endswith("kernel") else values


def test_the_networks_have_the_same_weights(both):
    own, theirs = both
    for name in ("generator", "discriminator"):
        network, module = getattr(own, name), getattr(theirs, name)
        assert sum(p.numel() for p in module.parameters()) == sum(
            int(np.prod(v.shape)) for v in network.trainable_variables
        )


def test_losses_and_gradients_are_the_same(both, tiny_images):
    own, theirs = both
    batch = training_batch(*tiny_images, CLASSES, BATCH, LATENT_DIM, seed=0, step=0)
    losses, gradients = own.compute_gradients(batch)
    their_losses, *their_gradients = theirs.compute_gradients(*as_tensors(batch))
    own_losses = [float(losses[name]) for name in LOSSES]
    np.testing.assert_allclose(their_losses.numpy(), own_losses, rtol=1e-4)
    for name, computed in zip(("generator", "discriminator"), their_gradients, strict=True):
        network = getattr(own, name)
        by_path = {
            v.path: tf.convert_to_tensor(gradient).numpy()
            for v, gradient in zip(network.trainable_variables, gradients[name], strict=True)
        }
        for variable, gradient in zip(in_pytorchs_order(network), computed, strict=True):
            expected = as_pytorch(variable, by_path[variable.path])
            scale = np.abs(expected).max()
            if scale < 1e-4:  # a bias before batch normalization: nothing but rounding
                assert variable.path.endswith("bias")
                assert np.abs(gradient.numpy()).max() < 1e-4
                continue
            np.testing.assert_allclose(
                gradient.numpy(), expected, rtol=1e-4, atol=1e-4 * scale, err_msg=variable.path
            )


def test_an_update_is_the_same(both, tiny_images):
    own, theirs = both
    batch = training_batch(*tiny_images, CLASSES, BATCH, LATENT_DIM, seed=0, step=0)
    before = theirs.generator.layers[0].weight.detach().clone()
    own.train_step(batch)
    losses = theirs.train_step(as_tensors(batch))
    assert not torch.equal(theirs.generator.layers[0].weight, before)
    assert torch.equal(theirs.loss_sums, losses)
    for name in ("generator", "discriminator"):
        for variable, parameter in pairs(getattr(own, name), getattr(theirs, name)):
            # Without a gradient Adam makes rounding errors large. And of an embedding's rows that a
            # batch uses twice Keras (3.15) adds up the squares, where PyTorch squares the sum.
            if variable.path.endswith(("bias", "embeddings")):
                continue
            difference = parameter.detach().numpy() - as_pytorch(variable, variable.numpy())
            # Adam's first update is the learning rate, 2e-4, times the gradient's sign, where that
            # is clear. The two add epsilon before and after a correction, hence "clear".
            clear = np.abs(parameter.grad.numpy()) > 1e-3
            assert clear.any(), variable.path
            assert np.abs(difference[clear]).max() < 2e-6, variable.path


def test_bfloat16_runs_in_bfloat16(tiny_images):
    """Heads and images stay float32, and the losses are those of float32 but for rounding."""
    torch.manual_seed(0)
    model = PyTorchACGAN("dcgan", SHAPE, CLASSES, LATENT_DIM, WIDTH)
    batch = as_tensors(training_batch(*tiny_images, CLASSES, BATCH, LATENT_DIM, seed=0, step=0))
    exact, *_ = model.compute_gradients(*batch)
    model.bfloat16 = True
    seen = []
    model.discriminator.trunk.register_forward_hook(lambda *call: seen.append(call[2].dtype))
    rounded, *gradients = model.compute_gradients(*batch)
    assert seen == [torch.bfloat16] * 2  # on real and on generated images
    assert {g.dtype for each in gradients for g in each} == {torch.float32}
    np.testing.assert_allclose(rounded.numpy(), exact.numpy(), rtol=2e-2)
    assert not torch.equal(rounded, exact)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # in PyTorch, while it compiles
def test_compiled_it_computes_the_same(tiny_images):
    batch = as_tensors(training_batch(*tiny_images, CLASSES, BATCH, LATENT_DIM, seed=0, step=0))
    losses = []
    for compiled in (False, True):
        torch.manual_seed(0)
        model = PyTorchACGAN("dcgan", SHAPE, CLASSES, LATENT_DIM, WIDTH, compiled=compiled)
        losses.append([model.train_step(batch).numpy() for _ in range(3)])
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-4)


def test_batches_hold_each_image_once_an_epoch():
    images = np.arange(6, dtype=np.uint8).reshape(6, 1, 1, 1)
    labels = np.array([0, 1, 0, 1, 0, 1], np.int32)
    stream = batches(images, labels, 2, 2, LATENT_DIM)
    epoch = [next(stream) for _ in range(3)]
    shown = torch.cat([images for images, *_ in epoch])
    assert sorted(shown.flatten().tolist()) == [0, 1, 2, 3, 4, 5]
    for images, labels, latent, generated_labels in epoch:
        assert images.shape == (2, 1, 1, 1)
        assert labels.tolist() == [int(i) % 2 for i in images.flatten()]
        assert latent.shape == (2, LATENT_DIM) and -1 <= latent.min() < 0 < latent.max() <= 1
        assert set(generated_labels.tolist()) <= {0, 1}


def as_tensors(batch):
    """A batch of this project's as PyTorch's step takes it."""
    images = torch.from_numpy(batch["images"].numpy()).permute(0, 3, 1, 2)
    labels, generated_labels = (
        torch.from_numpy(batch[name].numpy()).long() for name in ("labels", "generated_labels")
    )
    return images, labels, torch.from_numpy(batch["latent"].numpy()), generated_labels
