"""What every command begins with: settings out of the file, the environment and `.env`."""

from __future__ import annotations

import os
from pathlib import Path

from parley.app.backup.swap import read_pending_swap
from parley.app.process import logs
from parley.app.settings.home_folder import locate_config
from parley.app.settings.load import LoadedSettings, load_settings
from parley.app.settings.parsing.dotenv import with_dotenv
from parley.core.model.errors import ParleyError


def load_config(
    config: Path | None, verbose: bool, level: str = "", *, restoring: bool = False, log_json: bool = False
) -> LoadedSettings:
    """Load settings and set up the log for them; `level` and `log_json`, where given, are used instead
    of theirs.

    Without `config` they are those of this folder, or of the user's own one where no Parley is set up in
    this. `.env` stands beside the configuration file. Raises ConfigError; and ParleyError where a restore of
    the data was interrupted in the middle, unless the caller is `restoring`.
    """
    found = locate_config(config)
    environ = with_dotenv(os.environ, found.path.parent / ".env")
    loaded = load_settings(found.file, environ, found.folder)
    chosen = "debug" if verbose else level or loaded.settings.log_level
    form = "json" if log_json else loaded.settings.log_format
    logs.configure_logging(chosen, logs.find_secrets(loaded.settings), form)
    if not restoring and (swap := read_pending_swap(loaded.data_dir)):
        raise ParleyError(
            f"A restore into {loaded.data_dir} was interrupted: finish it with "
            f"`parley restore {swap.source}`."
        )
    return loaded
