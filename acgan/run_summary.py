"""What a run came to, in a few lines for the terminal."""

import sys
from pathlib import Path


def summary(record, folder):
    """What a user wants to know after a run, as lines of text.

    Arguments:
        record: the fields of its `acgan.runs.Record`.
        folder: its `acgan.runs.RunFolder`.
    """
    seconds, quality, cost = record["seconds"], record["quality"], record["cost"]
    lines = [f"{record['message'] or 'done'}: {record['steps']:,} steps, {seconds['train']:.0f} s"]
    if step_ms := record["step_time_ms"]["mean"]:
        rate = record["images_per_second"]
        lines.append(f"step time    {step_ms:.1f} ms, {rate:,.0f} images/s")
    if (share := record["tensor_cores"]["kernel_time_percent"]) is not None:
        lines.append(f"Tensor Cores {share:.0f} % of kernel time")
    if cost["usd_total"] is not None:
        per_million = cost["usd_per_million_batches"]
        unit = f", {per_million:,.2f} USD per million batches" if per_million else ""
        lines.append(f"cost         {cost['usd_total']:.4f} USD{unit} ({cost['price_source']})")
    if quality:
        lines.append(
            f"quality      class accuracy {quality['class_accuracy']:.3f}, FID {quality['fid']:.2f}"
            f" (two halves of the real images: {quality['fid_floor']:.2f}), "
            f"at step {quality['best_step']:,}"
        )
    tensorboard = Path(sys.executable).with_name("tensorboard")
    places = {
        "samples": folder.samples,
        "generator": folder.generator,
        "record": folder.record,
    }
    lines += [f"{name:<12} {place}" for name, place in places.items() if place.exists()]
    return "\n".join([*lines, f"TensorBoard  {tensorboard} --logdir {folder.path.parent}"])
