"""What to click on a platform: each channel has it in `setup_guide.yaml` in its folder, by language."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

from parley.app.settings.channel_registry import channel_package


@dataclass(frozen=True, slots=True)
class SetupGuide:
    """What people call the platform, how they make the bot by hand, where rights are added, and how one
    writes to the bot first.
    """

    title: str
    steps: tuple[str, ...] = ()
    rights: str = ""
    greet: str = ""


@cache
def read_guide(channel: str, language: str) -> SetupGuide:
    """Return the guide of a channel, in another language where it has not this one.

    It has no more than the channel's name for a channel of others that has none.
    """
    package = channel_package(channel)
    file = files(package).joinpath("setup_guide.yaml")
    if not file.is_file():
        return SetupGuide(channel)
    languages = yaml.safe_load(file.read_text("utf-8"))
    # A channel of others may have one language only.
    told = languages.get(language) or languages.get("en") or next(iter(languages.values()))
    steps = tuple(_filled(step, package) for step in told.get("steps", ()))
    return SetupGuide(
        told.get("title", channel), steps, told.get("rights", ""), _filled(told.get("greet", ""), package)
    )


def _filled(text: str, package: str) -> str:
    """Return it with what the channel's code knows: the address that makes the app, its scopes and events."""
    if "{link}" in text:
        text = text.replace("{link}", str(importlib.import_module(f"{package}.manifest").creation_link()))
    if "{scopes}" in text or "{events}" in text:
        known = importlib.import_module(f"{package}.scopes")
        text = text.replace("{scopes}", ", ".join(known.TENANT)).replace("{events}", ", ".join(known.EVENTS))
        text = text.replace("{callbacks}", ", ".join(known.CALLBACKS))
    return text
