"""The sections below `channels:`, each a channel: of its own name, or of another with a `type:`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from parley.app.settings.channel_registry import channel_config, channel_names
from parley.app.settings.parsing.problems import ConfigProblem, Path, suggest
from parley.app.settings.parsing.renamed_keys import renamed_key
from parley.app.settings.parsing.variables import Expansion, UnsetVariable
from parley.app.settings.parsing.yaml_tree import YamlTree
from parley.app.settings.pydantic_errors import translate_errors
from parley.app.settings.trigger_patterns import compile_pattern
from parley.channels.kit.config import ChannelConfig
from parley.core.model.types import Json

_TYPE = "type"
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")


@dataclass(frozen=True, slots=True)
class ChannelPlan:
    """A channel's settings, why it is off ("" when it is on), and of which platform it is."""

    config: ChannelConfig
    off: str
    kind: str


class ChannelSections:
    """Reads the sections; what is wrong is added to `mistakes`."""

    def __init__(self, expansion: Expansion, source: YamlTree, mistakes: list[ConfigProblem]) -> None:
        self._expansion = expansion
        self._source = source
        self._mistakes = mistakes

    def read(self) -> dict[str, ChannelPlan]:
        """Return every channel that there is, on or off, by name."""
        section = self._expansion.tree.get("channels", {})
        if not isinstance(section, dict):
            self._add(("channels",), 'must be a section of "name:" lines')
            return {}
        kinds = {**{name: name for name in channel_names()}, **self._named(section)}
        plans = {name: self._plan(name, kind, section.get(name, {})) for name, kind in sorted(kinds.items())}
        found = {name: plan for name, plan in plans.items() if plan is not None}
        self._compare(found)
        self._check_patterns(found)
        return found

    def _named(self, section: Mapping[str, Json]) -> dict[str, str]:
        """Return the sections whose names are none of a platform, and of which platform each is."""
        known, found = channel_names(), {}
        for name, own in section.items():
            kind = own.get(_TYPE) if isinstance(own, dict) else None
            if name in known:
                if kind not in (None, name):
                    text = f"must be {name}, as the section says; remove this, or rename the section"
                    self._add(("channels", name, _TYPE), text)
            elif kind is None:
                path: Path = ("channels", name)
                self._add(path, renamed_key(path) or _unknown(name, known))
            elif problem := _problem(name, kind, known):
                self._add(("channels", name, *((_TYPE,) if _NAME.fullmatch(name) else ())), problem)
            else:
                found[name] = str(kind)
        return found

    def _plan(self, name: str, kind: str, section: Json) -> ChannelPlan | None:
        model, at = channel_config(kind), ("channels", name)
        if isinstance(section, dict):
            section = {key: value for key, value in section.items() if key != _TYPE}
            for path in ((*at, key) for key in section if renamed_key((*at, key))):
                self._add(path, renamed_key(path))
        unset = [each for each in self._expansion.unset if each.path[:2] == at]
        try:
            config = model.model_validate(section, context={"name": name})
        except ValidationError as error:
            self._mistakes += beside(unset, translate_errors(error, model, self._source, at))
            self._mistakes += [unset_problem(each, self._source) for each in unset if not each.alone]
            return None
        return ChannelPlan(config, self._why_off(name, config, unset), kind)

    def _why_off(self, name: str, config: ChannelConfig, unset: list[UnsetVariable]) -> str:
        """Return why a channel is off; one that is on is to have all that it needs."""
        if config.enabled is False:
            return "enabled is false"
        missing = config.missing()
        if missing and not config.enabled and all(each.alone for each in unset):
            names = " and ".join(dict.fromkeys(f"${each.name}" for each in unset))
            are = "are" if " and " in names else "is"
            return f"{names} {are} not set" if names else f"no {missing}"
        self._mistakes += [unset_problem(each, self._source) for each in unset]
        if missing and not unset:
            text = f"is needed because {name} is on; add it, or remove enabled: true"
            self._add(("channels", name, missing), text)
        return ""

    def _compare(self, plans: Mapping[str, ChannelPlan]) -> None:
        """Find two channels that are one app: its events would come to either of them."""
        known: dict[tuple[str, ...], str] = {}
        for name, plan in plans.items():
            if plan.off or not plan.config.credentials() or plan.config.missing():
                continue
            given = {key: (plan.kind, key, str(getattr(plan.config, key))) for key in plan.config.own_keys()}
            shared = [(key, known[app]) for key, app in given.items() if app in known]
            for key, other in shared[:1]:
                text = f"is that of channels.{other}, too; every channel needs an app of its own"
                self._add(("channels", name, key), text)
            known = {**dict.fromkeys(given.values(), name), **known}

    def _check_patterns(self, plans: Mapping[str, ChannelPlan]) -> None:
        for name, plan in plans.items():
            for place, rule in plan.config.all_triggers.items():
                try:
                    compile_pattern(rule.text)
                except ValueError as error:
                    self._add(("channels", name, *place, "text"), str(error))

    def _add(self, path: Path, text: str) -> None:
        self._mistakes.append(ConfigProblem(path, text, self._source.line(path)))


def beside(unset: Iterable[UnsetVariable], found: list[ConfigProblem]) -> list[ConfigProblem]:
    """Return what is wrong for another reason than that a variable at or below it is not set."""
    return [each for each in found if not any(one.path[: len(each.path)] == each.path for one in unset)]


def unset_problem(unset: UnsetVariable, source: YamlTree) -> ConfigProblem:
    """Return that a variable is not set, and what to write."""
    text = f"${unset.name} is not set; write {unset.name}=... in .env, or $$ for a plain dollar sign"
    return ConfigProblem(unset.path, text, source.line(unset.path))


def _unknown(name: str, known: tuple[str, ...]) -> str:
    text = suggest(name, known)
    return text if "mean" in text else f"{text}; for another app of one of these add type:"


def _problem(name: str, kind: Json, known: tuple[str, ...]) -> str:
    """Return why a section cannot be a channel of this platform."""
    if not _NAME.fullmatch(name):
        return "a channel's name is a small letter, then at most 31 small letters, digits, - or _"
    if kind not in known:
        return suggest(str(kind), known).replace("unknown key", f'there is no channel "{str(kind)[:40]}"')
    if not channel_config(str(kind)).several:
        return f"there is one {kind} only; write its settings under channels.{kind}"
    return ""
