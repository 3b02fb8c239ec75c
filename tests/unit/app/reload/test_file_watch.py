"""How long files that have changed are at rest."""

from parley.app.reload.file_watch import FileWatch, stamp_files


def stamps(tmp_path, text=None):
    file = tmp_path / "config.yaml"
    if text is not None:
        file.write_text(text, "utf-8")
    return stamp_files([file, tmp_path / ".env"])


def test_a_file_that_is_being_written_is_not_at_rest(tmp_path):
    watch = FileWatch(stamps(tmp_path, "a"))
    assert watch.look(stamps(tmp_path), 7.0) is None
    assert watch.look(stamps(tmp_path, "half"), 7.5) == 0
    whole = stamps(tmp_path, "the whole of it")
    assert watch.look(whole, 8.0) == 0
    assert watch.look(whole, 8.5) == 0.5
    assert watch.look(whole, 13.0) == 5
    watch.know(whole)
    assert watch.look(whole, 13.5) is None


def test_an_edit_that_is_taken_back_at_once_is_none(tmp_path):
    before = stamps(tmp_path, "a")
    watch = FileWatch(before)
    assert watch.look(stamps(tmp_path, "bb"), 1.0) == 0
    assert watch.look(before, 1.5) is None
    assert watch.look(stamps(tmp_path), 2.0) == 0


def test_a_file_that_is_gone_or_replaced_by_another_name_has_changed(tmp_path):
    watch = FileWatch(stamps(tmp_path, "a"))
    (tmp_path / "config.yaml").unlink()
    assert watch.look(stamps(tmp_path), 0.0) == 0
    (tmp_path / "new").write_text("b", "utf-8")
    (tmp_path / "new").rename(tmp_path / "config.yaml")
    assert watch.look(stamps(tmp_path), 3.0) == 0


def test_a_folder_behind_a_link_is_replaced_as_containers_do(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.yaml").write_text(name, "utf-8")
    link, other = tmp_path / "now", tmp_path / "next"
    link.symlink_to("one")
    watch = FileWatch(stamp_files([link / "config.yaml"]))
    other.symlink_to("two")
    other.rename(link)
    assert watch.look(stamp_files([link / "config.yaml"]), 1.0) == 0
