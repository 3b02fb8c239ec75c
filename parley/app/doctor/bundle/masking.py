"""Settings without what somebody wrote into them: only what our own schema knows is left.

A name is left where it is a field of the schema, a text where it is the field's default or one of its
choices, a number and a truth value where the field is one. Everything else becomes a word that says what
stood there.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from parley.app.settings.channel_registry import own_channel_names
from parley.app.settings.load import LoadedSettings
from parley.core.model.types import Json

_SET, _NUMBER, _ADDRESS = "<set>", "<number>", "<address>"


@dataclass(frozen=True, slots=True)
class ChannelNames:
    """What channels are called in a bundle: by their platform, with a number where the name is somebody's."""

    shown: Mapping[str, str]

    @classmethod
    def read(cls, loaded: LoadedSettings) -> ChannelNames:
        """Return them for these settings."""
        known = own_channel_names()
        return cls(
            {
                name: name if name in known else f"{plan.kind if plan.kind in known else 'channel'}-{number}"
                for number, (name, plan) in enumerate(loaded.plans.items(), 1)
            }
        )

    def show(self, name: str) -> str:
        """Return the name that a channel has in a bundle."""
        return self.shown.get(name, "other")


def mask_settings(loaded: LoadedSettings, names: ChannelNames) -> dict[str, Json]:
    """Return what is set, with its structure."""
    masked = {key: value for key, value in mask_section(loaded.settings).items() if key != "channels"}
    channels: dict[str, Json] = {
        names.show(name): {"on": not plan.off} | mask_section(plan.config)
        for name, plan in loaded.plans.items()
    }
    return masked | {"channels": channels}


def mask_section(section: BaseModel) -> dict[str, Json]:
    """Return the keys that are set in a section of the settings."""
    fields = type(section).model_fields
    return {
        key: _mask(getattr(section, key), fields[key])
        for key in sorted(section.model_fields_set)
        if key in fields
    }


def _mask(value: object, field: FieldInfo | None) -> Json:
    if isinstance(value, BaseModel):
        return dict(mask_section(value))
    if isinstance(value, Mapping):
        return {f"<name {number}>": _mask(each, None) for number, each in enumerate(value.values(), 1)}
    if isinstance(value, list | tuple):
        return [_mask(each, None) for each in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if field is not None else _NUMBER
    return _mask_text(str(value), field)


def _mask_text(text: str, field: FieldInfo | None) -> str:
    if not text:
        return ""
    if field is not None and (text == field.default or text in _choices(field.annotation)):
        return text
    return _ADDRESS if "://" in text else _SET


def _choices(annotation: object) -> Iterator[object]:
    """Yield the texts that a field may be, as its type says."""
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    elif get_origin(annotation) in (Union, types.UnionType):
        for each in get_args(annotation):
            yield from _choices(each)


def mask_place(place: str, loaded: LoadedSettings, names: ChannelNames) -> str:
    """Return the beginning of a key's path, as far as the schema knows it."""
    return ", ".join(".".join(_known_keys(one.split("."), loaded, names)) for one in place.split(", "))


def _known_keys(path: Sequence[str], loaded: LoadedSettings, names: ChannelNames) -> Iterator[str]:
    first, *rest = [key.partition("[")[0] for key in path]
    section: object = loaded.settings
    if first == "channels" and rest:
        yield from ("channels", names.show(rest[0]))
        plan = loaded.plans.get(rest[0])
        section, rest = plan.config if plan else None, rest[1:]
    else:
        rest = [first, *rest]
    for key in rest:
        if not isinstance(section, BaseModel) or key not in type(section).model_fields:
            return
        yield key
        section = getattr(section, key)
