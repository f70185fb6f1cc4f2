import base64
import hashlib

import numpy as np
import pytest

from acgan.datasets import quickdraw
from acgan.errors import UserError


@pytest.fixture
def load(server, tmp_path, make_drawings, npy_bytes):
    server.files["cat.npy"] = npy_bytes(make_drawings(50))
    server.files["hot%20dog.npy"] = npy_bytes(make_drawings(30, first=100))
    server.files["apple.npy"] = npy_bytes(make_drawings(20))
    lines = []

    def load(classes=("cat", "hot dog"), count=10):
        return quickdraw.load(classes, count, tmp_path, server.url, lines.append, timeout_s=5)

    load.lines, load.folder = lines, tmp_path / "quickdraw"
    return load


def test_takes_the_first_drawings_of_each_class(load, server):
    dataset = load()
    assert dataset.images.shape == (20, 28, 28, 1) and dataset.images.dtype == np.uint8
    assert dataset.images[:, 0, 0, 0].tolist() == [*range(10), *range(100, 110)]
    assert dataset.labels.tolist() == [0] * 10 + [1] * 10
    assert dataset.class_names == ("cat", "hot dog")
    # 80 + 784 * 10 = 7920 bytes; then 48 more, because this header is longer than the official one
    assert server.answers[:2] == [(206, "bytes=0-7919"), (206, "bytes=7920-7967")]
    assert load.lines[0] == f"quickdraw: downloading 10 drawings from {server.url}/cat.npy"


def test_leaves_only_checked_files(load):
    load()
    names = sorted(path.name for path in load.folder.iterdir())
    assert names == [".lock", "cat.first-10.npy", "hot dog.first-10.npy"]
    assert np.load(load.folder / "cat.first-10.npy").shape == (10, 784)


def test_the_cache_serves_this_and_smaller_requests(load, server):
    load()
    server.files.clear()
    assert len(load(count=10)) == 20
    assert load(count=4).images[:, 0, 0, 0].tolist() == [0, 1, 2, 3, 100, 101, 102, 103]


def test_larger_requests_are_downloaded(load):
    load()
    assert len(load(count=20)) == 40


def test_takes_what_is_there(load):
    assert np.bincount(load(count=40).labels).tolist() == [40, 30]


def test_a_server_without_ranges(load, server):
    server.mode = "no_range"
    assert len(load()) == 20


def test_a_connection_that_hangs_up_is_continued(load, server):
    server.hang_ups = 1
    assert load().images[:, 0, 0, 0].tolist() == [*range(10), *range(100, 110)]


def test_a_truncated_download_is_never_data(load, server):
    server.mode, server.hang_ups = "no_range", 100
    with pytest.raises(UserError, match="broke off") as caught:
        load(count=0)
    assert f"by hand at {load.folder / 'cat.npy'}" in str(caught.value)
    assert not list(load.folder.glob("*.npy"))


def test_an_interrupted_download_goes_on_later(load, server):
    server.mode, server.hang_ups = "no_range", 100
    with pytest.raises(UserError):
        load(count=0)
    server.mode, server.hang_ups = "range", 0
    server.answers.clear()
    assert len(load(count=0)) == 80
    # The file has 128 + 784 * 50 = 39328 bytes, of which the first half arrived.
    assert server.answers[0] == (206, "bytes=19664-")


@pytest.mark.parametrize(
    ("array", "reason"),
    [
        (np.zeros((50, 784), np.float32), "float32"),
        (np.zeros((50, 785), np.uint8), "785"),
        (np.zeros(784 * 50, np.uint8), "39200"),
        (np.zeros((0, 784), np.uint8), "0, 784"),
    ],
)
def test_other_arrays_are_refused(load, server, npy_bytes, array, reason):
    server.files["cat.npy"] = npy_bytes(array)
    with pytest.raises(UserError, match=rf"cat\.npy: corrupted \(.*{reason}.*by hand at"):
        load()


def test_a_body_that_is_no_array_is_refused_and_not_kept(load, server):
    server.files["cat.npy"] = b"<html>please log in</html>" * 1000
    with pytest.raises(UserError, match=r"corrupted \(not a NumPy file\)"):
        load()
    assert [path.name for path in load.folder.iterdir()] == [".lock"]


@pytest.mark.parametrize("count", [0, 10, 49])
def test_a_file_shorter_than_its_header_says(load, server, count):
    server.files["cat.npy"] = server.files["cat.npy"][:5000]
    with pytest.raises(UserError, match="corrupted"):
        load(count=count)


def test_whole_files_are_kept_under_their_own_name(load):
    assert np.bincount(load(count=0).labels).tolist() == [50, 30]
    assert (load.folder / "cat.npy").exists()


def test_a_whole_file_must_have_the_published_hash(load):
    with pytest.raises(UserError, match=r"corrupted \(sha256 .* instead of a70df0030c1"):
        load(("apple", "cat"), count=0)
    assert not (load.folder / "apple.npy").exists()


def test_a_whole_file_with_the_right_hash_is_accepted(load, server, monkeypatch):
    body = server.files["apple.npy"]
    published = {"apple": (len(body), hashlib.sha256(body).hexdigest())}
    monkeypatch.setattr(quickdraw, "published_files", lambda: published)
    assert np.bincount(load(("apple", "cat"), count=0).labels).tolist() == [20, 50]


@pytest.mark.parametrize("is_right", [True, False])
def test_a_whole_file_without_published_hash_is_held_to_the_servers(load, server, is_right):
    body = server.files["cat.npy"]
    md5 = hashlib.md5(body if is_right else b"other").digest()
    server.headers["x-goog-hash"] = f"md5={base64.b64encode(md5).decode()}"
    server.files["hot%20dog.npy"] = body
    if is_right:
        assert len(load(count=0)) == 100
    else:
        with pytest.raises(UserError, match=r"corrupted \(md5"):
            load(count=0)


@pytest.mark.parametrize("count", [0, 10])
def test_a_file_put_there_by_hand_is_used(load, server, make_drawings, count):
    load.folder.mkdir()
    for name in ("cat", "hot dog"):
        np.save(load.folder / f"{name}.npy", make_drawings(12, first=7))
    server.files.clear()
    assert load(count=count).images[:2, 0, 0, 0].tolist() == [7, 8]


def test_a_broken_file_put_there_by_hand_is_named(load, make_drawings):
    load.folder.mkdir()
    path = load.folder / "cat.npy"
    np.save(path, make_drawings(12))
    path.write_bytes(path.read_bytes()[:-1])
    # 128 + 784 * 12 = 9536
    with pytest.raises(UserError, match=r"cat\.npy: 9535 bytes instead of 9536: delete it"):
        load()


def test_a_damaged_file_in_the_cache_is_fetched_again(load):
    load()
    path = load.folder / "cat.first-10.npy"
    path.write_bytes(path.read_bytes()[:-100])
    assert load().images[:10, 0, 0, 0].tolist() == list(range(10))


def test_an_unknown_class_is_named_with_its_neighbours(load):
    with pytest.raises(UserError, match=r"no class 'aple': did you mean 'apple'"):
        load(("aple", "cat"))


def test_numbers_are_those_of_the_official_list(load):
    assert load((64, "HOT DOG")).class_names == ("cat", "hot dog")


def test_a_single_class_is_refused_before_the_download(load, server):
    with pytest.raises(UserError, match="single class"):
        load(("cat",))
    assert server.answers == []


def test_a_negative_count_is_refused(load):
    with pytest.raises(UserError, match="images_per_class=-1"):
        load(count=-1)


def test_the_address_may_come_from_the_environment(server, load, tmp_path, monkeypatch):
    monkeypatch.setenv(quickdraw.URL_VARIABLE, f"{server.url}/")
    assert len(quickdraw.load(("cat", "hot dog"), 5, tmp_path, report=lambda line: None)) == 10


def test_a_cache_that_cant_be_written_is_named(server, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"can't be written.*--cache_dir"):
        quickdraw.load(None, 5, tmp_path / "file", server.url, lambda line: None)


def test_the_official_names_are_345():
    names = quickdraw.class_names()
    assert len(names) == len(set(names)) == 345
    assert set(quickdraw.ARTICLE_CLASSES) <= set(names)


def test_published_files_are_whole_arrays_of_the_articles_classes():
    published = quickdraw.published_files()
    assert set(published) == set(quickdraw.ARTICLE_CLASSES)
    assert all((size - 80) % 784 == 0 and len(digest) == 64 for size, digest in published.values())


def test_official_drawings(shared_data, server, tmp_path):
    names = ("airplane", "apple", "eye")
    for name in names:
        server.files[f"{name}.npy"] = (shared_data / f"quickdraw_npy/{name}.npy").read_bytes()
    dataset = quickdraw.load(names, 10_000, tmp_path, server.url, lambda line: None)
    assert np.bincount(dataset.labels).tolist() == [1000, 1000, 1000]
    assert (dataset.images[0, 0] == 0).all() and dataset.images.max() == 255
