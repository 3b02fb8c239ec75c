"""When files are read again: once they are at rest."""

from parley.app.reload.file_watch import SettledChanges, stamp_files


def stamps(tmp_path, text=None):
    file = tmp_path / "config.yaml"
    if text is not None:
        file.write_text(text, "utf-8")
    return stamp_files([file, tmp_path / ".env"])


def test_a_file_that_is_being_written_is_not_read(tmp_path):
    watch = SettledChanges(stamps(tmp_path, "a"))
    assert not watch.look(stamps(tmp_path), 0.0)
    half = stamps(tmp_path, "half")
    assert not watch.look(half, 0.5)
    whole = stamps(tmp_path, "the whole of it")
    assert not watch.look(whole, 1.0)
    assert watch.look(whole, 1.5)
    watch.know(whole)
    assert not watch.look(whole, 2.0)


def test_an_unrest_without_end_is_read_all_the_same(tmp_path):
    watch = SettledChanges(stamps(tmp_path, ""))
    found = [watch.look(stamps(tmp_path, "x" * n), n / 2) for n in range(1, 13)]
    assert found.index(True) == 10


def test_an_edit_that_is_taken_back_at_once_is_none(tmp_path):
    before = stamps(tmp_path, "a")
    watch = SettledChanges(before)
    assert not watch.look(stamps(tmp_path, "bb"), 0.0)
    assert not watch.look(before, 0.5)
    assert not watch.look(stamps(tmp_path), 1.0)


def test_a_file_that_is_gone_has_changed(tmp_path):
    watch = SettledChanges(stamps(tmp_path, "a"))
    (tmp_path / "config.yaml").unlink()
    assert not watch.look(stamps(tmp_path), 0.0)
    assert watch.look(stamps(tmp_path), 0.5)
