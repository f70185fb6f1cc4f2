import pytest

from acgan.sweeping.max_batch import next_candidate


@pytest.mark.parametrize(
    ("fitting", "not_fitting", "limit", "candidate"),
    [
        ([64], [], 5000, 128),
        ([32, 64, 8], [], 5000, 128),
        ([64], [], 100, 100),  # no more than all images
        ([100], [], 100, None),
        ([64], [128], 5000, 96),
        ([64, 96], [128, 4096], 5000, 112),
        ([], [128], 5000, 64),
        ([], [16], 5000, 8),
        ([], [12], 5000, 8),
        ([], [8], 5000, None),  # a smaller one is none that Tensor Cores want
        ([], [], 5000, None),  # nothing was tried
        ([8], [16], 5000, None),
        ([1024], [1096], 5000, 1056),  # 72 > 1096 // 16 = 68; 1024 + 36 = 1060
        ([1024], [1088], 5000, None),  # 64 <= 1088 // 16 = 68
        ([99], [108], 5000, 104),  # 99 + 4 = 103, below which 96 is known to fit
        ([128], [64], 5000, None),  # a machine that others use, too
    ],
)
def test_the_next_size(fitting, not_fitting, limit, candidate):
    assert next_candidate(fitting, not_fitting, limit) == candidate


@pytest.mark.parametrize("capacity", [1, 7, 8, 9, 100, 519, 520, 4095, 5000, 9000])
@pytest.mark.parametrize("start", [1, 12, 100, 512])
def test_a_search_ends_near_the_largest_that_fits(capacity, start):
    sizes = {True: [], False: []}
    size, limit = start, 5000
    while size is not None:
        assert size not in sizes[True] + sizes[False]  # none is tried twice
        sizes[size <= capacity].append(size)
        size = next_candidate(sizes[True], sizes[False], limit)
    found = max(sizes[True], default=0)
    assert found <= capacity
    if sizes[False]:
        gap = min(sizes[False]) - found
        assert gap <= max(8, min(sizes[False]) // 16)
    else:
        assert found == limit
    assert len(sizes[True] + sizes[False]) <= 20
