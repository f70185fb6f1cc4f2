"""Everything of a model that a step changes, as arrays and back."""

from keras import ops

from acgan.errors import UserError

LOSSES = "losses"  # the group of the means
SCALE = "_loss_scale"  # ends the name of a group of variables: a scale and its counters


def get_arrays(model):
    """The values of all variables of an `acgan.model.ACGAN`, to the last bit.

    Weights and statistics of both networks, both optimizers with their slots, loss scales and
    counters, and the means of the losses, which `fit` resets: see `set_losses`.

    Returns:
        Numpy arrays by name, such as "generator/0003": Keras' own names depend on what else the
        process has built.
    """
    return {name: ops.convert_to_numpy(variable.value) for name, variable in variables(model)}


def set_arrays(model, arrays, source, with_loss_scale=True):
    """Gives a model the values that `get_arrays` returned.

    Arguments:
        model: a compiled `acgan.model.ACGAN`.
        arrays: numpy arrays by name.
        source: where they are from, for messages.
        with_loss_scale: False leaves the loss scales as they are, for another policy.

    Raises:
        UserError: they are another model's; names the first that differs. The model is as it was.
    """
    present = dict(variables(model))
    if not with_loss_scale:
        arrays, present = (
            {name: value for name, value in part.items() if SCALE not in name}
            for part in (arrays, present)
        )
    for name in {**present, **arrays}:
        if name not in arrays or name not in present:
            where = "the checkpoint" if name not in arrays else "this model"
            raise UserError(f"{source} does not fit: {where} has no {name}")
        variable, found = present[name], arrays[name].shape
        if tuple(variable.shape) != found:
            raise UserError(
                f"{source} does not fit: {name} ({variable.path}) has the shape {found} there, "
                f"{tuple(variable.shape)} here"
            )
    for name, variable in present.items():
        variable.assign(arrays[name])


def set_losses(model, arrays):
    """Gives a model the means of its losses; arguments as of `set_arrays`."""
    for name, variable in variables(model):
        if name.startswith(LOSSES):
            variable.assign(arrays[name])


def variables(model):
    """Yields (name, variable) of everything that `get_arrays` returns."""
    groups = {
        "generator": model.generator.variables,
        "discriminator": model.discriminator.variables,
        LOSSES: [variable for metric in model.metrics for variable in metric.variables],
    }
    for name in ("generator", "discriminator"):
        optimizer = getattr(model, f"{name}_optimizer")
        inner = getattr(optimizer, "inner_optimizer", optimizer).variables
        ids = {id(variable) for variable in inner}
        groups[f"{name}_optimizer"] = inner
        groups[name + SCALE] = [v for v in optimizer.variables if id(v) not in ids]
    for group, members in groups.items():
        for index, variable in enumerate(members):
            yield f"{group}/{index:04}", variable
