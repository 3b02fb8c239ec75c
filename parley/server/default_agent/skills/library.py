"""The folder of skills: which there are, and their files, by path and without following a link."""

from __future__ import annotations

import os
from pathlib import Path

from parley.server.default_agent.skills.skill_file import (
    NAME_SIGNS,
    SKILL_FILE,
    SkillHead,
    SkillRefused,
    is_skill_name,
    read_head,
)
from parley.server.workspace.paths import DEEPEST, PathRefused, open_file, opened_folder, split_path

_MOST_TEXT = 200_000
"""Bytes of a file that is read."""
_MOST_LISTED = 200
_MOST_LOOKED_AT = 1_000
REMEDY = "install it with `parley skills install`, or take it out of enabled"
"""What helps where a skill that is on cannot be used."""


def load_skill(root: Path, name: str) -> SkillHead:
    """Return the head of the skill in a folder. Raises SkillRefused."""
    if not is_skill_name(name):
        raise SkillRefused(f"{name[:64]!r} is no name of a skill: {NAME_SIGNS}")
    try:
        return read_head(read_skill_text(root, name, SKILL_FILE), name)
    except SkillRefused as error:
        raise SkillRefused(f"{name}: {error.user_text}") from error


def installed_skills(root: Path) -> list[str]:
    """Return the names of all folders that may be skills. Raises OSError."""
    if not root.is_dir():
        return []
    with os.scandir(root) as found:
        return sorted(each.name for each in found if each.is_dir() and not each.name.startswith("."))


def read_skill_text(root: Path, name: str, path: str) -> str:
    """Return a text of a skill. Raises SkillRefused."""
    try:
        parts = split_path(path)
        if not parts:
            raise SkillRefused(f"{path[:200]}: name a file of the skill")
        with (
            opened_folder(root.resolve(), (name, *parts[:-1])) as folder,
            os.fdopen(open_file(folder, parts[-1]), "rb") as file,
        ):
            content = file.read(_MOST_TEXT + 1)
    except PathRefused as error:
        raise SkillRefused(str(error)) from error
    except OSError as error:  # there is no folder of skills
        raise SkillRefused(f"{root}: {error.strerror}") from error
    if len(content) > _MOST_TEXT:
        raise SkillRefused(f"{path}: it has more than {_MOST_TEXT:,} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise SkillRefused(f"{path}: it is no UTF-8 text") from error


def skill_files(root: Path, name: str) -> list[str]:
    """Return the paths of a skill's other files, as many as can be told. Raises SkillRefused."""
    found: list[str] = []
    waiting: list[tuple[str, ...]] = [()]
    looked_at = 0
    while waiting and len(found) < _MOST_LISTED and looked_at < _MOST_LOOKED_AT:
        parts = waiting.pop(0)
        try:
            with opened_folder(root.resolve(), (name, *parts)) as folder, os.scandir(folder) as entries:
                listed = sorted((each.name, each.is_dir(follow_symlinks=False)) for each in entries)
        except (PathRefused, OSError) as error:
            raise SkillRefused(f"{name}: {error}") from error
        looked_at += len(listed)
        if len(parts) + 1 < DEEPEST:
            waiting += [(*parts, inner) for inner, is_folder in listed if is_folder]
        found += ["/".join((*parts, inner)) for inner, is_folder in listed if not is_folder]
    return [path for path in found if path != SKILL_FILE][:_MOST_LISTED]
