import numpy as np
import pytest

from acgan.datasets.labels import to_class_names, to_labels
from acgan.errors import UserError


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, ">i4", np.int64, np.uint64])
def test_integers_of_any_size_become_int32(dtype):
    labels = to_labels(np.array([1, 0, 2, 1]).astype(dtype), "y")
    assert labels.dtype == np.int32
    assert labels.tolist() == [1, 0, 2, 1]


def test_a_column_becomes_a_row():
    labels = to_labels(np.array([[1], [0]]), "y")
    assert labels.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0.0, 1.0], r"^y is float64: integer labels are needed, 0\.\.classes-1$"),
        ([False, True], r"^y is bool: integer labels"),
        (["0", "1"], r"^y is <U1: integer labels"),
        ([[1, 0], [0, 1]], r"^y is \[2, 2\], not \[count\] \(one-hot\? save y\.argmax\(1\)\)$"),
        ([[[0]], [[1]]], r"^y is \[2, 1, 1\], not \[count\]$"),
        (0, r"^y is \[\], not \[count\]$"),
        ([0, -3, 1], r"^y has negative labels \(-3\): count from 0$"),
        ([4, 4], r"^y has a single class \(4\): an AC-GAN needs two or more$"),
    ],
)
def test_other_labels_are_refused(y, message):
    with pytest.raises(UserError, match=message):
        to_labels(np.array(y), "y")


@pytest.mark.parametrize("shape", [(0,), (0, 1)])
def test_no_labels_are_refused(shape):
    with pytest.raises(UserError, match=r"^y is \[0\], not \[count\]$"):
        to_labels(np.zeros(shape, np.int64), "y")


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 2], "y has labels up to 2 but none of 1: number the classes 0..1"),
        ([1, 2], "y has labels up to 2 but none of 0: number the classes 0..1"),
        ([0, 2, 4, 6, 6], "y has labels up to 6 but none of 1, 3, 5: number the classes 0..3"),
        # 0..6 but for 2 are six: five are shown.
        ([2, 7], "y has labels up to 7 but none of 0, 1, 3, 4, 5 and 1 more: number the classes"),
        # 10^12 + 1 numbers, of which two are there and five are shown; they are never listed all.
        ([0, 10**12], "none of 1, 2, 3, 4, 5 and 999999999994 more: number the classes 0..1"),
    ],
)
def test_gaps_are_named(y, message):
    with pytest.raises(UserError) as caught:
        to_labels(np.array(y), "y")
    assert message in str(caught.value)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_a_gap_below_the_largest_label_of_a_small_type_is_named(dtype):
    largest = np.iinfo(dtype).max
    y = np.delete(np.arange(largest + 1), 100).astype(dtype)
    with pytest.raises(UserError, match=rf"up to {largest} but none of 100: .* 0\.\.{largest - 1}"):
        to_labels(y, "y")


def test_without_names_classes_are_called_by_their_numbers():
    assert to_class_names(None, 3, "names", "y") == ("0", "1", "2")


def test_names_become_texts():
    names = to_class_names(np.array(["cat", "dog"]), 2, "names", "y")
    assert names == ("cat", "dog")
    assert {type(name) for name in names} == {str}


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b"], "^class_names holds 2 names for the 3 classes in y: give one a class$"),
        (["a", "b", "c", "d"], "^class_names holds 4 names for the 3 classes in y"),
        ([], "^class_names holds 0 names for the 3 classes"),
        (["cat", "dog", "cat"], "^class_names holds a name twice: cat, dog, cat$"),
        ([1, "1", "2"], "^class_names holds a name twice: 1, 1, 2$"),
    ],
)
def test_other_names_are_refused(names, message):
    with pytest.raises(UserError, match=message):
        to_class_names(names, 3, "class_names", "y")
