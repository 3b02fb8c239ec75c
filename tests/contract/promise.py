"""What a promise is, and which of them a platform is held to."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TypeAlias

from tests.contract.driver import Traits, Trouble
from tests.contract.harness.parley_process import Setting
from tests.contract.harness.scene import Scene

Keep: TypeAlias = Callable[[Scene], Awaitable[None]]
Need: TypeAlias = str | Trouble
_PREFIX = "promise_"
_NEEDS: dict[Keep, tuple[Need, ...]] = {}
_SETTINGS: dict[Keep, Setting] = {}


@dataclass(frozen=True)
class Promise:
    """One sentence, and the function that checks it: it returns when kept and raises when broken.

    `needs` names the traits, and the troubles, without which there is nothing to promise.
    """

    name: str
    sentence: str
    keep: Keep
    needs: tuple[Need, ...]
    setting: Setting

    def applies(self, traits: Traits) -> bool:
        """Whether a platform with these traits is held to it."""
        return all(meets(traits, need) for need in self.needs)


def needs(*wanted: Need) -> Callable[[Keep], Keep]:
    """Hold only those platforms to a promise that have these traits, or where these troubles occur."""

    def mark(keep: Keep) -> Keep:
        _NEEDS[keep] = wanted
        return keep

    return mark


def given(**changes: float | str | frozenset[str]) -> Callable[[Keep], Keep]:
    """Check a promise with other settings: fields of Setting."""

    def mark(keep: Keep) -> Keep:
        _SETTINGS[keep] = replace(Setting(), **changes)  # type: ignore[arg-type]
        return keep

    return mark


def promises_in(module: ModuleType) -> Iterator[Promise]:
    """The promises of a module, in the order in which they are written."""
    for name, keep in vars(module).items():
        if name.startswith(_PREFIX):
            sentence = " ".join((inspect.getdoc(keep) or "").split())
            title = name.removeprefix(_PREFIX)
            yield Promise(title, sentence, keep, _NEEDS.get(keep, ()), _SETTINGS.get(keep, Setting()))


def meets(traits: Traits, need: Need) -> bool:
    """Whether a platform has a trait, or a trouble."""
    return need in traits.troubles if isinstance(need, Trouble) else bool(getattr(traits, need))
