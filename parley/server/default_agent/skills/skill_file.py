"""The head of a skill's `SKILL.md`: its name, and what it is for (the Agent Skills specification)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from parley.core.model.errors import ParleyError

SKILL_FILE = "SKILL.md"
_MOST_HEAD = 16_000
"""Characters of the front matter."""
_MOST_DESCRIPTION = 1_024
_MOST_NAME = 64
NAME_SIGNS = "small letters, digits, and single hyphens between them"
_FENCE = "---"
_NOTHING = "tag:yaml.org,2002:null"


class SkillRefused(ParleyError):
    """A skill, or an archive of one, that cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class SkillHead:
    """What is known of a skill before it is read. The description is one line."""

    name: str
    description: str


def is_skill_name(name: str) -> bool:
    """Return whether a skill may have this name, as the specification's own reader (skills-ref) has it."""
    if not 0 < len(name) <= _MOST_NAME or name != unicodedata.normalize("NFKC", name).lower():
        return False
    return all(part.isalnum() for part in name.split("-"))


def read_head(text: str, folder: str = "") -> SkillHead:
    """Return the head of a `SKILL.md` in a folder of this name, "" for any. Raises SkillRefused."""
    pairs = list(_texts(_front_matter(text)))
    values = dict(pairs)
    if len(values) < len(pairs):
        raise SkillRefused(f"{SKILL_FILE}: a key is there twice")
    # Some systems write letters in pieces.
    name = unicodedata.normalize("NFKC", values.get("name", ""))
    description = _one_line(values.get("description", ""))
    if not is_skill_name(name):
        raise SkillRefused(f"{SKILL_FILE}: its name must have 1 to {_MOST_NAME} {NAME_SIGNS}")
    if folder and name != unicodedata.normalize("NFKC", folder):
        raise SkillRefused(
            f"{SKILL_FILE}: its name is {name}, but its folder is called {folder[:_MOST_NAME]}"
        )
    if not 0 < len(description) <= _MOST_DESCRIPTION:
        raise SkillRefused(
            f"{SKILL_FILE}: its description must have 1 to {_MOST_DESCRIPTION:,} characters, "
            f"and has {len(description):,}"
        )
    return SkillHead(name, description)


def _one_line(text: str) -> str:
    """Return a text for prompts and terminals, both of which signs of control would confuse."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _front_matter(text: str) -> str:
    """Return the YAML between the first two lines of hyphens. Raises SkillRefused."""
    first, *lines = text[:_MOST_HEAD].removeprefix("\ufeff").splitlines()[:_MOST_HEAD] or [""]
    ends = (at for at, line in enumerate(lines) if line.rstrip() == _FENCE)
    end = next(ends, None) if first.rstrip() == _FENCE else None
    if end is None:
        raise SkillRefused(
            f"{SKILL_FILE}: it must begin with YAML between two lines of {_FENCE}, "
            f"of at most {_MOST_HEAD:,} characters"
        )
    return "\n".join(lines[:end])


def _texts(front_matter: str) -> Iterator[tuple[str, str]]:
    """Yield the keys whose values are texts, or what YAML takes for a number, a date or a truth value.

    Only nodes are made, no values: a few lines with aliases can stand for more than fits into memory.
    """
    try:
        root = yaml.compose(front_matter, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 2}" if mark else ""
        raise SkillRefused(
            f"{SKILL_FILE}{line}: its YAML cannot be read; put texts with a colon in quotes"
        ) from error
    except RecursionError as error:
        raise SkillRefused(f"{SKILL_FILE}: its YAML is nested too deeply") from error
    if isinstance(root, yaml.MappingNode):
        for key, value in root.value:
            if (
                isinstance(key, yaml.ScalarNode)
                and isinstance(value, yaml.ScalarNode)
                and value.tag != _NOTHING
            ):
                yield key.value, value.value
