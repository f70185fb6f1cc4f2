from acgan.reporting.setting_words import differences_in_words, setting_in_words

SETTING = {
    "network": "dcgan",
    "width": 32,
    "latent_dim": 128,
    "dataset": "mnist5k",
    "class_names": ("one", "two"),
    "image_shape": (28, 28, 1),
    "jit_compile": True,
    "deterministic": False,
    "tensor_float_32": None,
    "tensorflow": "2.21.0",
}


def test_a_setting_is_said_in_plain_words():
    said = "dcgan network, mnist5k, 28x28x1 images, jit on, TensorFlow 2.21.0"
    assert setting_in_words(SETTING) == said


def test_what_differs_between_groups_is_said_too():
    assert setting_in_words(SETTING, ["width", "class_names", "tensor_float_32"]) == (
        "dcgan network, width 32, mnist5k, 2 classes (one, two), 28x28x1 images, jit on, "
        "TF32 unknown, TensorFlow 2.21.0"
    )


def test_of_many_classes_some_are_named():
    many = SETTING | {"class_names": tuple(f"c{number}" for number in range(345))}
    assert "345 classes (c0, c1, " in setting_in_words(many, ["class_names"])
    assert "c11, …)" in setting_in_words(many, ["class_names"])


def test_differences_are_listed():
    assert differences_in_words(["network"]) == "network"
    words = differences_in_words(["network", "width", "jit_compile"])
    assert words == "network, width and jit setting"


def test_other_data_have_other_classes_and_shapes_which_goes_without_saying():
    names = ["dataset", "class_names", "image_shape"]
    assert differences_in_words(names) == "data"
    assert "classes" not in setting_in_words(SETTING, names)
