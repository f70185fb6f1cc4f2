"""What a run's settings came to on this machine and this data."""

import os

import tensorflow as tf

from acgan.quiet import ONEDNN


def resolved(settings, dataset, policy, policy_changes, distribution, networks=()):
    """The record's `resolved`.

    Arguments:
        settings: an `acgan.settings.Settings`.
        dataset: an `acgan.datasets.ImageDataset`.
        policy: name of the dtype policy.
        policy_changes: as `acgan.saving.Saving.policy_changes` gives them.
        distribution: an `acgan.distribution.Distribution`.
        networks: Keras models, none before they are built.
    """
    return {
        "policy": policy,
        "policy_changes": policy_changes,
        "replicas": distribution.replicas,
        "workers": distribution.workers,
        "jit_compile": settings.jit_compile,
        "tensor_float_32": tf.config.experimental.tensor_float_32_execution_enabled(),
        "onednn": os.environ.get(ONEDNN) != "0",
        "loss_scale": settings.loss_scale if policy == "mixed_float16" else None,
        "image_shape": dataset.image_shape,
        "classes": dataset.classes,
        "class_names": dataset.class_names,
        "parameters": {network.name: network.count_params() for network in networks} or None,
    }
