"""What to click on a platform: each channel has it in `setup_guide.yaml` in its folder, by language."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from importlib.resources import files

import yaml

from parley.app.settings.channel_registry import channel_package


@dataclass(frozen=True, slots=True)
class SetupGuide:
    """How somebody makes the bot by hand, where rights are added, and how one writes to the bot first."""

    steps: tuple[str, ...] = ()
    rights: str = ""
    greet: str = ""


def read_guide(channel: str, language: str) -> SetupGuide:
    """Return the guide of a channel; an empty one for a channel of others that has none."""
    package = channel_package(channel)
    file = files(package).joinpath("setup_guide.yaml")
    if not file.is_file():
        return SetupGuide()
    told = yaml.safe_load(file.read_text("utf-8"))[language]
    steps = tuple(step.replace("{link}", _link(package)) for step in told["steps"])
    return SetupGuide(steps, told.get("rights", ""), told["greet"])


def _link(package: str) -> str:
    """Return the address that makes the app out of its manifest, where the platform has one."""
    if importlib.util.find_spec(f"{package}.manifest") is None:
        return ""
    return str(importlib.import_module(f"{package}.manifest").creation_link())
