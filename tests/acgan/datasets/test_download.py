import pytest

from acgan.datasets.download import fetch
from acgan.errors import UserError

BODY = bytes(range(250)) * 4  # 1000 bytes


@pytest.fixture
def target(tmp_path):
    return tmp_path / "cache" / "cat.npy"


@pytest.fixture
def url(server):
    server.files["cat.npy"] = BODY
    return f"{server.url}/cat.npy"


def leave_part(target, body, version):
    target.parent.mkdir()
    target.with_name("cat.npy.part").write_bytes(body)
    target.with_name("cat.npy.part.version").write_text(version)


def test_receives_only_the_bytes_wanted(server, url, target):
    partial = fetch(url, target, 300)
    assert partial.path.read_bytes() == BODY[:300]
    assert partial.total_bytes == 1000
    assert server.answers == [(206, "bytes=0-299")]
    assert not target.exists()


def test_receives_all(server, url, target):
    assert fetch(url, target).path.read_bytes() == BODY


def test_a_shorter_file_is_received_as_far_as_it_goes(url, target):
    assert fetch(url, target, 5000).path.read_bytes() == BODY


def test_a_server_without_ranges_gives_the_beginning(server, url, target):
    server.mode = "no_range"
    partial = fetch(url, target, 300)
    assert partial.path.read_bytes() == BODY[:300]
    assert partial.total_bytes == 1000


def test_an_earlier_part_is_continued(server, url, target):
    leave_part(target, BODY[:200], '"1"')
    assert fetch(url, target, 300).path.read_bytes() == BODY[:300]
    assert server.answers == [(206, "bytes=200-299")]


def test_an_earlier_part_is_continued_by_date(server, url, target):
    server.headers = {"Last-Modified": "Tue, 15 Nov 1994 12:45:26 GMT"}
    fetch(url, target, 200)
    assert fetch(url, target, 300).path.read_bytes() == BODY[:300]
    assert [wanted for _, wanted in server.answers] == ["bytes=0-199", "bytes=200-299"]


def test_a_part_that_is_long_enough_needs_no_server(server, url, target):
    leave_part(target, BODY[:200], '"1"')
    assert fetch(url, target, 150).path.read_bytes() == BODY[:200]
    assert server.answers == []


def test_a_complete_part_is_recognized(server, url, target):
    leave_part(target, BODY, '"1"')
    assert fetch(url, target).path.read_bytes() == BODY
    assert server.answers == [(416, "bytes=1000-")]


@pytest.mark.parametrize("mode", ["range", "no_range", "ignore_if_range"])
def test_a_changed_file_is_not_glued(server, url, target, mode):
    server.mode = mode
    leave_part(target, b"\xff" * 200, '"0"')
    assert fetch(url, target, 300).path.read_bytes() == BODY[:300]


def test_a_part_of_unknown_version_is_not_continued(server, url, target):
    leave_part(target, b"\xff" * 200, "")
    assert fetch(url, target, 300).path.read_bytes() == BODY[:300]


def test_a_part_longer_than_the_file_is_not_kept(url, target):
    leave_part(target, b"\xff" * 1200, '"1"')
    assert fetch(url, target).path.read_bytes() == BODY


def test_a_broken_connection_is_taken_up_again(server, url, target):
    server.hang_ups = 2
    assert fetch(url, target).path.read_bytes() == BODY
    # 500 bytes, then half of the other 500, then the last 250
    assert server.answers == [(206, "bytes=0-"), (206, "bytes=500-"), (206, "bytes=750-")]


def test_a_body_that_always_breaks_off_is_an_error_and_kept(server, url, target):
    server.mode, server.hang_ups = "no_range", 100
    with pytest.raises(UserError, match="broke off after 500 of 1000 bytes") as caught:
        fetch(url, target)
    assert url in str(caught.value) and str(target) in str(caught.value)
    assert target.with_name("cat.npy.part").read_bytes() == BODY[:500]
    assert not target.exists()


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_refusal_is_one_line(server, url, target, status):
    server.status = status
    with pytest.raises(UserError, match=f"answered {status}") as caught:
        fetch(url, target)
    message = str(caught.value)
    assert url in message and f"by hand at {target}" in message and "\n" not in message
    assert not target.with_name("cat.npy.part").exists()


def test_no_network_names_address_and_file(target, closed_url):
    with pytest.raises(UserError, match="no connection") as caught:
        fetch(f"{closed_url}/cat.npy", target)
    assert f"{closed_url}/cat.npy" in str(caught.value) and str(target) in str(caught.value)


def test_a_silent_server_ends_in_a_line(server, url, target):
    server.silent = True
    with pytest.raises(UserError, match=r"no answer in time|no connection \(timed out\)"):
        fetch(url, target, timeout_s=0.1)


@pytest.mark.parametrize("address", ["file:///etc/passwd", "quickdraw", "ftp://host/cat.npy"])
def test_addresses_of_other_kinds_are_refused(address, target):
    with pytest.raises(UserError, match="not an address"):
        fetch(address, target)


def test_a_folder_that_cant_be_written_is_named(url, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"can't be written.*--cache_dir"):
        fetch(url, tmp_path / "file" / "cat.npy")


def test_the_md5_of_google_cloud_storage_is_read(server, url, target):
    # The MD5 of nothing, in base64 and in hexadecimal.
    server.headers["x-goog-hash"] = "crc32c=AAAAAA==,md5=1B2M2Y8AsgTpgAmY7PhCfg=="
    assert fetch(url, target, 10).md5 == "d41d8cd98f00b204e9800998ecf8427e"
