"""What can be seen of the built-in agent's settings without a call to its model."""

from __future__ import annotations

from collections.abc import Iterator

from parley.app.settings.load import LoadedSettings
from parley.app.settings.parsing.problems import ConfigProblem, Path
from parley.core.model.errors import ConfigError
from parley.server.default_agent.prompt_file import read_prompt

_SECTION = "built_in"


def built_in_mistakes(loaded: LoadedSettings) -> Iterator[ConfigProblem]:
    """Yield fallbacks that are no models of its own, and instructions that cannot be read."""
    section = loaded.settings.built_in
    if not loaded.settings.agent.built_in:
        return
    known = loaded.settings.agent.choices
    for key, names in (("fallbacks", section.fallbacks), ("models", section.models)):
        for name in names:
            if name not in known:
                yield _problem(loaded, key, f'"{name}" is not in agent.models; write it there, too')
    if section.prompt_file:
        try:
            read_prompt(loaded.folder / section.prompt_file)
        except ConfigError as error:
            yield _problem(loaded, "prompt_file", str(error).partition(": ")[2])


def _problem(loaded: LoadedSettings, key: str, text: str) -> ConfigProblem:
    path: Path = (_SECTION, key)
    return ConfigProblem(path, text, loaded.source.line(path))
