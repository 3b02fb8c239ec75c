"""Where settings are read from again while Parley runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from parley.app.process import logs
from parley.app.reload.file_watch import FileStamps, stamp_files
from parley.app.settings.langgraph_file import PROJECT_FILE
from parley.app.settings.load import DEFAULT_FILE, LoadedSettings, load_settings
from parley.app.settings.parsing.dotenv import with_dotenv

ENV_FILE = ".env"


def _nothing(loaded: LoadedSettings) -> None:
    """For settings that nobody edits."""


@dataclass(frozen=True, slots=True)
class ConfigSource:
    """`read` reads the settings, and raises ConfigError; `files` are what it reads,
    `stamps` their state before they were read for the first time.

    `note` hears of settings that are about to run.
    """

    read: Callable[[], LoadedSettings]
    files: tuple[Path, ...] = ()
    stamps: FileStamps = field(default_factory=dict)
    note: Callable[[LoadedSettings], None] = _nothing


def fixed_source(loaded: LoadedSettings) -> ConfigSource:
    """Return a source of settings that nobody edits."""
    return ConfigSource(lambda: loaded)


def file_source(
    config: Path | None, environ: Mapping[str, str] = os.environ, here: Path | None = None, level: str = ""
) -> ConfigSource:
    """Return the source of a command that was called with `--config` in the folder `here`.

    A `level` is used instead of the file's. The environment is that of the start: a project of the embedded
    server adds to it.
    """
    folder = here or Path.cwd()
    path = folder / (config or DEFAULT_FILE)
    # A file that was there is not to be taken for the defaults while it is being replaced.
    chosen = DEFAULT_FILE if config is None and path.exists() else config
    given = dict(environ)

    def read() -> LoadedSettings:
        return load_settings(chosen, with_dotenv(given, path.parent / ENV_FILE), folder)

    def note(loaded: LoadedSettings) -> None:
        logs.change_logging(level or loaded.settings.log_level, logs.find_secrets(loaded.settings))

    files = tuple(path.parent / name for name in (path.name, ENV_FILE, PROJECT_FILE))
    return ConfigSource(read, files, stamp_files(files), note)
