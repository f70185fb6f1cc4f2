import threading

import pytest

from acgan.datasets.folder_lock import locked
from acgan.errors import UserError


def test_one_at_a_time(tmp_path):
    folder, order = tmp_path / "new", []

    def second():
        with locked(folder):
            order.append("second")

    with locked(folder):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(0.1)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_a_folder_that_cant_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(UserError, match=r"file/new/\.lock: can't be written"),
        locked(tmp_path / "file" / "new"),
    ):
        pass
