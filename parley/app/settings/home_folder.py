"""The folder that holds a Parley: its configuration, `.env`, and the data folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import platformdirs

from parley.app.settings.langgraph_file import PROJECT_FILE

_MARKS = ("config.yaml", ".env", PROJECT_FILE, "data/parley.db")
"""What makes a folder that of a Parley of its own. An older one may have data and no configuration."""


@dataclass(frozen=True, slots=True)
class ConfigLocation:
    """Where a command finds its configuration: a file, or what is in the `folder` where that is None.

    `.env` stands beside it.
    """

    file: Path | None
    folder: Path

    @property
    def path(self) -> Path:
        """Return where the file is, or would be."""
        return self.folder / (self.file or _MARKS[0])


def locate_config(config: Path | None) -> ConfigLocation:
    """Return where the file of `--config` is; without it that of this folder, or of the user's own one where
    no Parley is set up in this.
    """
    here = Path.cwd()
    home = here if config else home_folder(here)
    own = home / _MARKS[0]
    return ConfigLocation(own if home != here and own.exists() else config, home)


def locate_setup(config: Path | None) -> Path:
    """Return the file that a set-up writes: that of the Parley which would start here.

    Where there is none yet, neither here nor in the user's own folder, this folder becomes one.
    """
    found = locate_config(config)
    return found.path if config or _is_home(found.folder) else Path.cwd() / _MARKS[0]


def home_folder(here: Path) -> Path:
    """Return `here` where a Parley is set up, and the user's own folder elsewhere."""
    if _is_home(here):
        return here
    return platformdirs.user_data_path("parley", appauthor=False)


def _is_home(folder: Path) -> bool:
    return any((folder / mark).exists() for mark in _MARKS)
