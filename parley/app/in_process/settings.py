"""Settings of a Parley inside another program: those of a folder, or given ones."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import yaml

from parley.app.backup.swap import read_pending_swap
from parley.app.settings.home_folder import locate_config
from parley.app.settings.load import LoadedSettings, load_settings, read_values
from parley.app.settings.parsing.dotenv import with_dotenv
from parley.app.settings.parsing.yaml_tree import parse_yaml
from parley.app.storage.paths import TERMINAL
from parley.core.model.errors import ConfigError, ParleyError


def read_config(config: Path | None) -> LoadedSettings:
    """Read the settings of a file; without one those of this folder, or of the user's own one where no Parley
    is set up in this. `.env` stands beside the file.

    Raises ConfigError.
    """
    found = locate_config(config)
    environ = with_dotenv(os.environ, found.path.parent / ".env")
    return load_settings(found.file, environ, found.folder)


def given_settings(values: Mapping[str, object]) -> LoadedSettings:
    """Return settings that are given as they would stand in a file of this folder. Raises ConfigError."""
    try:
        text = yaml.safe_dump(dict(values), allow_unicode=True)
    except yaml.YAMLError as error:
        raise ConfigError(
            "settings: only what can stand in config.yaml can be given: texts, numbers, lists and mappings"
        ) from error
    return read_values(parse_yaml(text).tree, "settings", os.environ, Path.cwd())


def refuse_interrupted_restore(loaded: LoadedSettings) -> None:
    """Raise ParleyError where a restore of the data was interrupted in the middle."""
    if swap := read_pending_swap(loaded.data_dir):
        raise ParleyError(
            f"A restore into {loaded.data_dir} was interrupted: finish it with "
            f"`parley restore {swap.source}`."
        )


def web_only_settings(loaded: LoadedSettings) -> LoadedSettings:
    """Return the same settings for the web channel only, on a free loopback port, with a token for one life.

    What waits in other channels stays on disk for the Parley that serves them. `memory.tools_url` is that
    one's, too: agents that run elsewhere cannot reach this one.
    """
    changes = {"host": "127.0.0.1", "port": 0, "token": secrets.token_urlsafe()}
    console = loaded.settings.console.model_copy(update=changes)
    memory = loaded.settings.memory.model_copy(update={"tools_url": ""})
    settings = loaded.settings.model_copy(update={"console": console, "memory": memory})
    web = {"web": replace(loaded.plans["web"], off="")}
    return replace(loaded, settings=settings, plans=web)


def terminal_settings(loaded: LoadedSettings) -> LoadedSettings:
    """Return those of a Parley for one terminal: where other channels are on it has a folder of its own."""
    ours = web_only_settings(loaded)
    return replace(ours, data_dir=loaded.data_dir / TERMINAL) if set(loaded.channels) - {"web"} else ours
