"""The folder that holds a Parley: its configuration, `.env`, and the data folder."""

from __future__ import annotations

from pathlib import Path

import platformdirs

from parley.app.settings.langgraph_file import PROJECT_FILE

_MARKS = ("config.yaml", ".env", PROJECT_FILE, "data/parley.db")
"""What makes a folder that of a Parley of its own. An older one may have data and no configuration."""


def home_folder(here: Path) -> Path:
    """Return `here` where a Parley is set up, and the user's own folder elsewhere."""
    if any((here / mark).exists() for mark in _MARKS):
        return here
    return platformdirs.user_data_path("parley", appauthor=False)
