from acgan import datasets
from acgan.benchmarks import input_rate


def test_the_files_are_data_sets_that_a_user_could_have(tmp_path, monkeypatch):
    monkeypatch.setattr(input_rate, "FOLDER_IMAGES", 20)
    folder = datasets.load(input_rate.write_images(tmp_path / "images"), report=print)
    assert (folder.images.shape, folder.classes) == ((20, 64, 64, 3), 10)
    digits = datasets.load(input_rate.write_npz(tmp_path / "digits.npz"))
    assert (digits.images.shape, digits.classes) == ((5000, 28, 28, 1), 10)


def test_a_batch_that_was_made_in_advance_is_not_counted(monkeypatch, tiny_images):
    taken = iter(range(10_000))
    monkeypatch.setattr(input_rate, "batches", lambda *_, **__: taken)
    measure = input_rate.pipeline(*tiny_images)
    measure()
    assert next(taken) == 2 * (input_rate.AHEAD + input_rate.BATCHES)
