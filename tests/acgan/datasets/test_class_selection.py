import numpy as np
import pytest

from acgan.datasets.class_selection import class_numbers, near_misses
from acgan.errors import UserError

PETS = ("cat", "cow", "Dog")


@pytest.mark.parametrize(
    ("selection", "numbers"),
    [
        (["Dog", "cat"], [2, 0]),
        ([2, 0], [2, 0]),
        (["2", "0"], [2, 0]),
        (["dog", " CAT "], [2, 0]),
        ([np.int64(1)], [1]),
        ([], []),
    ],
)
def test_names_and_numbers_give_numbers_in_order(selection, numbers):
    assert class_numbers(selection, PETS, "pets") == numbers


def test_a_name_counts_before_a_number():
    assert class_numbers(["0", "7"], ("7", "0"), "digits") == [1, 0]


@pytest.mark.parametrize("item", ["bird", "3", 3, -1, "-1", 1.0, None, "", "²"])
def test_unknown_classes_are_named_with_the_known_ones(item):
    with pytest.raises(UserError) as caught:
        class_numbers([item], PETS, "pets")
    assert f"pets has no class {str(item)!r}" in str(caught.value)
    assert "cat, cow, Dog (or 0..2)" in str(caught.value)


def test_near_misses_are_suggested():
    with pytest.raises(UserError, match="did you mean 'Dog'"):
        class_numbers(["dogg"], PETS, "pets")
    assert near_misses("teddy bear", ("bear", "teddy-bear", "tent"))[0] == "teddy-bear"


def test_many_classes_are_not_all_listed():
    names = tuple(f"class{number}" for number in range(345))
    with pytest.raises(UserError, match=r"It has 345, class0, class1, class2 \.\.\. class344"):
        class_numbers(["x"], names, "many")


@pytest.mark.parametrize("selection", [["cat", "cat"], ["cat", 0], ["cat", "CAT"]])
def test_repeated_classes_are_refused(selection):
    with pytest.raises(UserError, match="'cat' is chosen twice"):
        class_numbers(selection, PETS, "pets")
