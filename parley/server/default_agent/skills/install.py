"""Skills are installed whole or not at all, and removed."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

from parley.server.default_agent.skills.archive import Parts, unpack_skill
from parley.server.default_agent.skills.skill_file import SkillHead, SkillRefused, is_skill_name
from parley.server.workspace.removal import LEFT_OVER, clear_aside, remove_tree

_UNFINISHED = ".unfinished"
"""Where a skill lies until it is whole, and while it is removed."""
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def install_skill(archive: Path, root: Path, now: float) -> SkillHead:
    """Install the skill of an archive, which is then there as a whole. Raises SkillRefused, OSError."""
    head, files = unpack_skill(archive)
    place = root / head.name
    if os.path.lexists(place):
        raise _taken(head.name)
    aside = _aside(root, now)
    made = aside / secrets.token_hex(16)
    try:
        _write(made, files)
        made.rename(place)
    except FileExistsError as error:
        raise _taken(head.name) from error
    except OSError as error:
        if os.path.lexists(place):  # another install was faster
            raise _taken(head.name) from error
        raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
    _flush(root)
    return head


def remove_skill(name: str, root: Path, now: float) -> None:
    """Remove an installed skill. Raises SkillRefused, OSError."""
    if not is_skill_name(name) or not os.path.lexists(root / name):
        raise SkillRefused(f"There is no skill {name[:64]} in {root}.")
    aside = _aside(root, now)
    folders = [os.open(each, _OPEN_FOLDER) for each in (root, aside)]
    try:
        remove_tree(folders[0], name, folders[1])
    finally:
        for each in folders:
            os.close(each)


def _aside(root: Path, now: float) -> Path:
    """Return the folder for what is not whole, without what a process that was killed left there."""
    aside = root / _UNFINISHED
    aside.mkdir(parents=True, exist_ok=True)
    opened = os.open(aside, _OPEN_FOLDER)
    try:
        clear_aside(opened, now - LEFT_OVER)
    finally:
        os.close(opened)
    return aside


def _write(folder: Path, files: Mapping[Parts, bytes]) -> None:
    folders = {folder}
    folder.mkdir()
    for parts, content in files.items():
        place = folder.joinpath(*parts)
        place.parent.mkdir(parents=True, exist_ok=True)
        folders |= {each for each in place.parents if each.is_relative_to(folder)}
        with place.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    for each in folders:
        _flush(each)


def _flush(folder: Path) -> None:
    opened = os.open(folder, _OPEN_FOLDER)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _taken(name: str) -> SkillRefused:
    return SkillRefused(f"The skill {name} is already there; remove it first: parley skills remove {name}")
