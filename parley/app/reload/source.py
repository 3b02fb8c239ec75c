"""Where settings are read from again while Parley runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from parley.app.process import logs
from parley.app.reload.file_watch import FileStamps, stamp_files
from parley.app.reload.torn_files import FileTexts, read_texts
from parley.app.settings.home_folder import ConfigLocation
from parley.app.settings.langgraph_file import PROJECT_FILE
from parley.app.settings.load import DEFAULT_FILE, LoadedSettings, load_settings
from parley.app.settings.parsing.dotenv import with_dotenv

ENV_FILE = ".env"


def _nothing(loaded: LoadedSettings) -> None:
    """For settings that nobody edits."""


@dataclass(frozen=True, slots=True)
class ConfigSource:
    """`read` reads the settings, and raises ConfigError; `files` are what it reads, `stamps` and `texts`
    their state before they were read for the first time.

    `note` lets the log follow settings: it hides their secrets, and is written as they say.
    """

    read: Callable[[], LoadedSettings]
    files: tuple[Path, ...] = ()
    stamps: FileStamps = field(default_factory=dict)
    texts: FileTexts = field(default_factory=dict)
    note: Callable[[LoadedSettings], None] = _nothing


def fixed_source(loaded: LoadedSettings) -> ConfigSource:
    """Return a source of settings that nobody edits."""
    return ConfigSource(lambda: loaded)


def file_source(
    found: ConfigLocation, environ: Mapping[str, str], level: str = "", *, log_json: bool = False
) -> ConfigSource:
    """Return the source of a command whose configuration is there.

    `level` and `log_json` are used instead of what the file says. `environ` is that of the start: a
    project of the embedded server adds to it.
    """
    # A file that was there is not to be taken for the defaults while it is being replaced.
    chosen = DEFAULT_FILE if found.file is None and found.path.exists() else found.file

    def read() -> LoadedSettings:
        given = with_dotenv(environ, found.path.parent / ENV_FILE)
        return load_settings(chosen, given, found.folder)

    def note(loaded: LoadedSettings) -> None:
        settings = loaded.settings
        logs.hide_secrets(logs.find_secrets(settings))
        logs.change_logging(level or settings.log_level, "json" if log_json else settings.log_format)

    files = tuple(found.path.parent / name for name in (found.path.name, ENV_FILE, PROJECT_FILE))
    return ConfigSource(read, files, stamp_files(files), read_texts(files), note)
