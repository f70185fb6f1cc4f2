"""The search for the largest batch size that fits."""

MULTIPLE = 8  # of candidate sizes, as Tensor Cores want
PRECISION = 16  # the search ends when the gap is below this part of the size


def next_candidate(fitting, not_fitting, limit):
    """The next batch size to try, None when the largest is known well enough.

    Doubles until a size does not fit, then halves the gap.

    Arguments:
        fitting, not_fitting: sizes that were tried.
        limit: no more than this makes sense, the number of images.
    """
    low = max(fitting, default=0)
    if not not_fitting:
        size = min(2 * low, limit)
        return size if size > low else None
    high = min(not_fitting)
    gap = high - low
    if gap <= max(MULTIPLE, high // PRECISION):
        return None
    middle = low + gap // 2
    middle -= middle % MULTIPLE
    return middle if middle > low else middle + MULTIPLE
