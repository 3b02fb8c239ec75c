"""What differs between the settings that run and those on disk, and what is to be done about it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from parley.app.reload.effects import RELOAD_EFFECTS, ReloadEffect, channel_effect
from parley.app.settings.channel_sections import ChannelPlan
from parley.app.settings.langgraph_file import PROJECT_FILE
from parley.app.settings.load import LoadedSettings
from parley.channels.kit.config import Section

_CHANNELS, _AGENT = "channels", "agent"
_S = TypeVar("_S", bound=Section)

_Place = tuple[str, ...]
"""Section and key; of a channel its name between them."""


@dataclass(frozen=True, slots=True)
class ReloadPlan:
    """What becomes of an edit.

    `loaded` is what is to run: the new settings, with those that need a restart as they were. `changed` are
    the settings that differ and are taken over, `waiting` those that wait for a restart, as `section.key`.
    `started`, `stopped` and `reconnected` are channels; with `graphs` they are loaded again.
    """

    loaded: LoadedSettings
    changed: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    started: tuple[str, ...] = ()
    stopped: tuple[str, ...] = ()
    reconnected: tuple[str, ...] = ()
    graphs: bool = False


def plan_reload(old: LoadedSettings, new: LoadedSettings) -> ReloadPlan:
    """Compare what runs with what is on disk."""
    found = dict(_differences(old, new))
    waiting = [place for place, effect in found.items() if effect is ReloadEffect.RESTART]
    changed = {place: effect for place, effect in found.items() if effect is not ReloadEffect.RESTART}
    loaded = _keep(old, new, waiting)
    before, after = old.channels, loaded.channels
    connecting = {place[1] for place, effect in changed.items() if effect is ReloadEffect.CHANNEL}
    return ReloadPlan(
        loaded,
        changed=tuple(map(".".join, changed)),
        waiting=tuple(map(".".join, waiting)),
        started=tuple(name for name in after if name not in before),
        stopped=tuple(name for name in before if name not in after),
        reconnected=tuple(name for name in after if name in before and name in connecting),
        graphs=ReloadEffect.GRAPHS in changed.values(),
    )


def _differences(old: LoadedSettings, new: LoadedSettings) -> Iterator[tuple[_Place, ReloadEffect]]:
    moved = _moved(old, new)
    for (section, key), effect in RELOAD_EFFECTS.items():
        if section != _CHANNELS and _value(old, section, key) != _value(new, section, key):
            place = (section, key) if section else (key,)
            yield place, ReloadEffect.RESTART if moved and section == _AGENT else effect
    if old.project != new.project:
        yield (PROJECT_FILE,), ReloadEffect.RESTART if moved else ReloadEffect.GRAPHS
    for name in sorted({*old.plans, *new.plans}):
        yield from _channel_differences(name, old.plans.get(name), new.plans.get(name))


def _moved(old: LoadedSettings, new: LoadedSettings) -> bool:
    """Return whether the agent lives elsewhere: at another address, or on a loop of its own as users' graphs.

    All that is said about it belongs to that place.
    """
    before, after = old.settings.agent, new.settings.agent
    return before.url != after.url or bool(before.graphs) != bool(after.graphs)


def _value(loaded: LoadedSettings, section: str, key: str) -> object:
    value: object = getattr(getattr(loaded.settings, section) if section else loaded.settings, key)
    return value


def _channel_differences(
    name: str, old: ChannelPlan | None, new: ChannelPlan | None
) -> Iterator[tuple[_Place, ReloadEffect]]:
    if old is None or new is None or old.kind != new.kind:
        if any(plan is not None and not plan.off for plan in (old, new)):
            yield (_CHANNELS, name), ReloadEffect.CHANNEL
        return
    for key in type(new.config).model_fields:
        if getattr(old.config, key) != getattr(new.config, key):
            yield (_CHANNELS, name, key), channel_effect(type(new.config), key)


def _keep(old: LoadedSettings, new: LoadedSettings, waiting: Collection[_Place]) -> LoadedSettings:
    """Return the new settings with those at `waiting` as they were."""
    settings = new.settings
    for section, *rest in waiting:
        if section not in (PROJECT_FILE, _CHANNELS):
            before = getattr(old.settings, section)
            after = _with(getattr(settings, section), rest[0], before) if rest else before
            settings = settings.model_copy(update={section: after})
    plans = _keep_channels(old, new, waiting)
    settings = settings.model_copy(update={_CHANNELS: {name: plan.config for name, plan in plans.items()}})
    project = old.project if (PROJECT_FILE,) in waiting else new.project
    return replace(new, settings=settings, plans=plans, data_dir=old.data_dir, project=project)


def _keep_channels(
    old: LoadedSettings, new: LoadedSettings, waiting: Collection[_Place]
) -> Mapping[str, ChannelPlan]:
    plans = dict(new.plans)
    for section, *rest in waiting:
        if section == _CHANNELS:
            name, key = rest
            before = old.plans[name]
            config = _with(plans[name].config, key, before.config)
            plans[name] = replace(plans[name], config=config, off=before.off)
    return plans


def _with(section: _S, key: str, old: Section) -> _S:
    return section.model_copy(update={key: getattr(old, key)})
