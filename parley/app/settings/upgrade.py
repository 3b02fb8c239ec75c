"""The version of a configuration: what changed since an older one, and its text brought up to date."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from parley.app.settings.core_options import channel_options, core_options
from parley.app.settings.load import SHIPPED_FILE, LoadedSettings
from parley.app.settings.parsing.problems import format_path
from parley.app.settings.parsing.yaml_complete import (
    KeyPath,
    MissingKey,
    cut_key,
    insert_keys,
    missing_keys,
    replace_key,
)
from parley.app.settings.parsing.yaml_edit import set_value
from parley.app.settings.parsing.yaml_tree import parse_yaml
from parley.app.settings.schema.model import CONFIG_VERSION
from parley.core.model.errors import ConfigError
from parley.core.model.types import Json

Read = Callable[[str], LoadedSettings]
"""Reads the text of a configuration. Raises ConfigError."""

_VERSION: KeyPath = ("version",)
_FIRST_SECTIONS = frozenset({"data_dir", "language", "log_level", "agent", "session", "manager", "channels"})
"""What every file had that a Parley shipped before there were versions; short ones of people have less."""


@dataclass(frozen=True, slots=True)
class _Move:
    """A setting that has another place since `version`; the old one is still read."""

    version: int
    old: KeyPath
    new: KeyPath


_MOVES = (_Move(1, ("questions", "audit_days"), ("retention", "audit_days")),)


@dataclass(frozen=True, slots=True)
class Upgrade:
    """The text as it will be. `added` are settings that it names now, `moved` those with another place.

    `left` were not added: they would change what the file means.
    """

    text: str
    added: tuple[KeyPath, ...] = ()
    moved: tuple[tuple[KeyPath, KeyPath], ...] = ()
    left: tuple[KeyPath, ...] = ()


def config_version(loaded: LoadedSettings) -> int:
    """Return the version of a file; 0 for one that was shipped before there were versions.

    A file without a version that names only some settings has no age: all others have today's defaults.
    """
    tree = loaded.source.tree
    if "version" in tree:
        return loaded.settings.version
    old = set(tree) >= _FIRST_SECTIONS or any(_find(tree, move.old) is not None for move in _MOVES)
    return 0 if old else CONFIG_VERSION


def changes_since(loaded: LoadedSettings) -> Sequence[str]:
    """Return what is different in today's form of the file, in a few words each."""
    version, tree, lines = config_version(loaded), loaded.source.tree, loaded.source.lines
    changed = [
        f"{'.'.join(move.old)} is {'.'.join(move.new)} now"
        for move in _MOVES
        if move.version > version and _find(tree, move.old) is not None
    ]
    shipped = [path for path in parse_yaml(_shipped()).lines if path not in lines and path != _VERSION]
    new = [format_path(path) for path in shipped if not path[:-1] or path[:-1] in lines]
    if new:
        more = f" and {len(new) - _NAMED} more" if len(new) > _NAMED else ""
        changed.append(f"{', '.join(new[:_NAMED])}{more} may be set now and have their defaults")
    return changed


_NAMED = 8
"""How many settings are named in a line."""


def upgrade(text: str, read: Read) -> Upgrade:
    """Return the text in today's form: what it means, its comments, values and order stay.

    Raises ConfigError where it has mistakes, or cannot be changed.
    """
    before = read(text)
    moved: dict[_Move, tuple[Json, Sequence[str]]] = {}
    for move in _MOVES:
        if (value := _find(before.source.tree, move.old)) is not None:
            text, lines = cut_key(text, move.old)
            moved[move] = (value, lines)

    def finish(changed: str) -> str:
        for move, (value, lines) in moved.items():
            changed = replace_key(set_value(changed, move.new, value), move.new, lines)
        return set_value(changed, _VERSION, CONFIG_VERSION)

    means = _meaning(before)

    def fits(keys: Sequence[MissingKey]) -> bool:
        try:
            return _meaning(read(finish(insert_keys(text, keys)))) == means
        except ConfigError:
            return False

    missing = missing_keys(text, _shipped())
    added = missing if fits(missing) else _fitting(missing, fits)
    if not added and not fits(added):
        raise ConfigError("the file cannot be changed without changing what it means; see docs/upgrading.md")
    return Upgrade(
        finish(insert_keys(text, added)),
        tuple(each.path for each in added),
        tuple((move.old, move.new) for move in moved),
        tuple(each.path for each in missing if each not in added),
    )


def _fitting(
    missing: Sequence[MissingKey], fits: Callable[[Sequence[MissingKey]], bool]
) -> Sequence[MissingKey]:
    """Return the keys with which the text means what it meant."""
    fine: list[MissingKey] = []
    for key in missing:
        if fits([*fine, key]):
            fine.append(key)
    return fine


def _meaning(loaded: LoadedSettings) -> object:
    """Return all that a configuration says, but its version."""
    settings = loaded.settings.model_dump(exclude={"version", "channels"})
    return settings, core_options(loaded), dict(_channels(loaded)), loaded.data_dir, loaded.project


def _channels(loaded: LoadedSettings) -> Iterator[tuple[str, object]]:
    for name, plan in loaded.plans.items():
        options = channel_options(loaded, name, plan.config)
        yield name, (plan.kind, bool(plan.off), options, plan.config.model_dump())


def _find(tree: Mapping[str, Json], path: KeyPath) -> Json:
    found: Json = dict(tree)
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _shipped() -> str:
    return SHIPPED_FILE.read_text("utf-8")
