"""Names that are exchanged: whoever finds the journal finishes, wherever the one before was stopped."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path

import pytest

from parley.app.backup.swap import Exchange, Swap, begin_swap, finish_swap, read_pending_swap

_OLD = {"parley.db": "old", "parley.db-wal": "old", "files/a": "old", "only-old": "old"}
_NEW = {"parley.db": "new", "files/b": "new", "only-new": "new"}


class Died(BaseException):
    """The process is gone: nobody catches it."""


def tree(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def seen(folder: Path) -> dict[str, str]:
    found = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_text() for name, path in sorted(found.items())}


def prepared(data: Path, outside: Path) -> Swap:
    for folder in (data, outside):
        tree(folder, _OLD)
        tree(folder / ".restoring", _NEW)
    old, new = ({name.split("/")[0] for name in names} for names in (_OLD, _NEW))
    old.add("only-new")  # it was there when the names were noted
    return Swap(
        data / "backup",
        "before-restore-x",
        [Exchange(each, sorted(old), sorted(new)) for each in (data, outside)],
    )


def test_wherever_it_is_stopped_the_next_one_finishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really, wanted = os.rename, _NEW | {f"before-restore-x/{name}": "old" for name in _OLD}
    for calls in count():
        data, outside = tmp_path / f"data-{calls}", tmp_path / f"outside-{calls}"
        swap, left = prepared(data, outside), [calls]
        begin_swap(data, swap)

        def mortal(old: Path, new: Path, left: list[int] = left) -> None:
            if left[0] == 0:
                raise Died
            left[0] -= 1
            really(old, new)

        monkeypatch.setattr(os, "rename", mortal)
        died = False
        try:
            finish_swap(data, swap)
        except Died:
            died = True
        monkeypatch.setattr(os, "rename", really)
        again = read_pending_swap(data)
        assert (again is not None) is died
        if again is not None:
            assert again == swap
            finish_swap(data, again)
        assert read_pending_swap(data) is None
        assert seen(data) == seen(outside) == dict(sorted(wanted.items()))
        if not died:
            break
    assert calls == 2 * (len({name.split("/")[0] for name in _OLD}) + len(_NEW))


def test_before_it_is_decided_nothing_is_begun(tmp_path: Path) -> None:
    tree(tmp_path, {".restore.json.new": "{"})
    assert read_pending_swap(tmp_path) is None
    assert read_pending_swap(tmp_path / "not-there") is None
