"""`parley skills`: the built-in agent's skills, listed, installed from an archive, or removed."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from parley.app.cli.load_config import load_config
from parley.app.settings.load import LoadedSettings
from parley.core.model.errors import ConfigError
from parley.server.default_agent.skills.install import install_skill, remove_skill
from parley.server.default_agent.skills.library import installed_skills, load_skill
from parley.server.default_agent.skills.skill_file import SkillRefused


def run(arguments: argparse.Namespace) -> int:
    """Do what the first word says."""
    loaded = load_config(arguments.config, arguments.verbose, level="warning")
    section = loaded.settings.built_in.skills
    root = loaded.folder / section.folder
    if arguments.what == "list":
        print(*_lines(root, section.enabled), sep="\n")
        return 0
    if not arguments.skill:
        raise ConfigError(f"parley skills {arguments.what}: name {_WANTED[arguments.what]}.")
    _ACTIONS[arguments.what](loaded, root, arguments.skill)
    return 0


def _install(loaded: LoadedSettings, root: Path, archive: str) -> None:
    head = install_skill(Path(archive), root, time.time())
    print(f"Installed {head.name} in {root / head.name}: {head.description}")
    if head.name not in loaded.settings.built_in.skills.enabled:
        print("Read it, for the agent does as it says. Then switch it on in config.yaml:")
        print(f"built_in: {{skills: {{enabled: [{head.name}]}}}}")


def _remove(loaded: LoadedSettings, root: Path, name: str) -> None:
    if name in loaded.settings.built_in.skills.enabled:
        raise SkillRefused(f"The skill {name} is on; take it out of built_in.skills.enabled first.")
    remove_skill(name, root, time.time())
    print(f"Removed {name}.")


def _lines(root: Path, enabled: tuple[str, ...]) -> Iterator[str]:
    names = sorted({*installed_skills(root), *enabled})
    if not names:
        yield f"There are no skills in {root}."
    for name in names:
        try:
            about = load_skill(root, name).description
        except SkillRefused as error:
            about = f"cannot be used: {error.user_text}"
        shown = name if name.isprintable() else ascii(name)
        yield f"{'on ' if name in enabled else 'off'}  {shown}: {about}"


_WANTED = {"install": "the archive, a .zip, .skill or .tar.gz", "remove": "the skill"}
_ACTIONS = {"install": _install, "remove": _remove}
