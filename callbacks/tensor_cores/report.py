"""How a profile's summary is shown: a table for people, an object for programs."""

from callbacks.tensor_cores.summary import Row, Summary

NAME_MIN_WIDTH = 16
OP_MAX_WIDTH = 32
NUMBER_COLUMNS = ((7, ">"), (11, ">"), (9, ">"), (12, "<"))
GAP = 2


def to_json(file: str, summary: Summary) -> dict:
    """Returns the object that `scripts/kernels --json` prints for one file."""
    return {
        "file": file,
        "device": summary.device,
        "compute_capability": summary.compute_capability,
        "total_us": round(summary.total_us, 3),
        "tensor_core_time_percent": summary.tensor_core_time_percent,
        "eligible_time_percent": summary.eligible_time_percent,
        "unknown_time_percent": summary.unknown_time_percent,
        "reason": summary.reason,
        "kernels": [
            {
                "name": row.name,
                "op": row.op,
                "launches": row.launches,
                "total_us": round(row.total_us, 3),
                "tensor_core": row.tensor_core,
            }
            for row in summary.rows
        ],
    }


def to_table(file: str, summary: Summary, top: int, width: int) -> str:
    """Returns the table of the `top` kernels by time, fitted to `width` columns."""
    shown, hidden = summary.rows[:top], summary.rows[top:]
    left = width - sum(size + GAP for size, _ in NUMBER_COLUMNS)
    op_width = max((len(_short_op(row.op)) for row in shown), default=0)
    op_width = min(op_width, OP_MAX_WIDTH, max(left // 3, NAME_MIN_WIDTH // 2))
    columns = [*NUMBER_COLUMNS, *[(op_width, "<")] * bool(op_width)]
    left -= (op_width + GAP) * bool(op_width)
    columns.append((max(left, NAME_MIN_WIDTH), "<"))
    titles = ["share", "time ms", "launches", "Tensor Cores", *["op"] * bool(op_width), "kernel"]
    lines = [file, _heading(summary), "", _line(titles, columns)]
    lines.append(_line(["─" * size for size, _ in columns], columns))
    lines += [_line(_cells(row, bool(op_width)), columns) for row in shown]
    if hidden:
        rest = [_share(sum(row.share_percent for row in hidden)), _ms(_us(hidden))]
        rest += [str(sum(row.launches for row in hidden)), f"({len(hidden)} more)"]
        lines.append(_line(rest, columns))
    lines.append(_line(["─" * size for size, _ in columns], columns))
    lines.append(_line(["100.0 %", _ms(summary.total_us), str(summary.launches), "all"], columns))
    return "\n".join([*lines, "", *_shares(summary)])


def markdown(summary: Summary, sentences: list[str], top: int = 20) -> str:
    """Returns the table of the `top` kernels as Markdown, for TensorBoard, under some sentences."""
    lines = [f"- {sentence}" for sentence in sentences]
    lines += ["", "| kernel | op | launches | time ms | share | Tensor Cores |"]
    lines += ["|---|---|---:|---:|---:|---|"]
    lines += [
        f"| `{row.name.replace('|', '¦')}` | {row.op.replace('|', '¦')} | {row.launches} "
        f"| {_ms(row.total_us)} | {_share(row.share_percent)} | {row.tensor_core} |"
        for row in summary.rows[:top]
    ]
    return "\n".join([*lines, "", *_shares(summary)])


def _heading(summary: Summary) -> str:
    capability = summary.compute_capability
    about = f"compute capability {capability}" if capability else "compute capability not recorded"
    launches = f"{summary.launches:,} launches, {_ms(summary.total_us)} ms of kernel time"
    return f"{summary.device or 'GPU not recorded'}, {about}\n{launches}"


def _shares(summary: Summary) -> list[str]:
    shares = (
        ("Tensor Cores", summary.tensor_core_time_percent, "of kernel time"),
        ("unknown", summary.unknown_time_percent, "of kernel time, the name does not tell"),
        ("eligible ops", summary.eligible_time_percent, "of kernel time"),
        ("efficiency", summary.efficiency_percent, "of eligible time on Tensor Cores"),
    )
    return [
        f"{name:<12}  {_share(percent)}  {meaning}"
        if percent is not None
        else f"{name:<12}        -  {summary.reason}"
        for name, percent, meaning in shares
    ]


def _cells(row: Row, with_op: bool) -> list[str]:
    cells = [_share(row.share_percent), _ms(row.total_us), str(row.launches), row.tensor_core]
    return [*cells, *[_short_op(row.op)] * with_op, row.name.removeprefix("void ")]


def _line(cells: list[str], columns: list[tuple[int, str]]) -> str:
    cells = cells + [""] * (len(columns) - len(cells))
    padded = (
        f"{shorten(cell, size):{align}{size}}"
        for cell, (size, align) in zip(cells, columns, strict=True)
    )
    return (" " * GAP).join(padded).rstrip()


def _short_op(op: str) -> str:
    """Returns the end of an op's path, where it differs from others."""
    return op.rpartition("/")[2]


def _share(percent: float) -> str:
    return f"{percent:5.1f} %"


def _ms(time_us: float) -> str:
    return f"{time_us / 1000:.3f}"


def _us(rows: tuple[Row, ...]) -> float:
    return sum(row.total_us for row in rows)


def shorten(text: str, width: int) -> str:
    """Returns the text with its middle cut out so that it fits; both ends of a kernel name tell."""
    text = "".join(char if char.isprintable() else "?" for char in text)
    if len(text) <= width:
        return text
    head = (width - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (width - 1 - head) :]}"
