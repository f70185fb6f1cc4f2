"""The report's figures in their order."""

from acgan.reporting.figures import fid, images_time, price, samples, step_time, tensor_cores

_FIGURES = (step_time, images_time, price, samples, fid, tensor_cores)


def figures(group):
    """A list of `ReportFigure`, one for each figure of the report, of a `Group`."""
    return [module.figure(group) for module in _FIGURES]
