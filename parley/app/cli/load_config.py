"""What every command begins with: settings out of the file, the environment and `.env`."""

from __future__ import annotations

from pathlib import Path

from parley.app.in_process.settings import read_config, refuse_interrupted_restore
from parley.app.process import logs
from parley.app.settings.load import LoadedSettings


def load_config(
    config: Path | None, verbose: bool, level: str = "", *, restoring: bool = False, log_json: bool = False
) -> LoadedSettings:
    """Load settings and set up the log for them; `level` and `log_json`, where given, are used instead
    of theirs.

    Without `config` they are those of this folder, or of the user's own one where no Parley is set up in
    this. `.env` stands beside the configuration file. Raises ConfigError; and ParleyError where a restore of
    the data was interrupted in the middle, unless the caller is `restoring`.
    """
    loaded = read_config(config)
    chosen = "debug" if verbose else level or loaded.settings.log_level
    form = "json" if log_json else loaded.settings.log_format
    logs.configure_logging(chosen, logs.find_secrets(loaded.settings), form)
    if not restoring:
        refuse_interrupted_restore(loaded)
    return loaded
