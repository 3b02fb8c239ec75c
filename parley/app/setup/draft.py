"""A configuration that is being changed: in memory until it is written, both files as a whole."""

from __future__ import annotations

import itertools
import signal
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path

from parley.app.process.logs import secret_hider
from parley.app.settings.channel_registry import channel_config
from parley.app.settings.langgraph_file import read_langgraph_file
from parley.app.settings.load import DEFAULT_FILE, LoadedSettings, read_settings
from parley.app.settings.parsing.dotenv import with_dotenv
from parley.app.settings.parsing.yaml_edit import add_to_list, set_value
from parley.app.setup.changed_lines import changed_lines
from parley.app.storage.env_file import replace_private_file, with_variables
from parley.core.model.errors import ConfigError, ParleyError
from parley.core.model.types import Json


@dataclass(frozen=True, slots=True)
class Draft:
    """The text of the configuration file, as it is (`before`, None where there is none) and as it will be.

    `variables` are what is to come into the `.env` beside it. What the files were is kept beside them under
    names with `suffix`. Methods that read raise ConfigError.
    """

    file: Path
    before: str | None
    text: str
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    suffix: str = ".before-init"

    @classmethod
    def open(cls, config: Path | None, environ: Mapping[str, str]) -> Draft:
        """Return what there is; without a file a new one, which has every setting with its default."""
        file = Path.cwd() / (config or DEFAULT_FILE)
        try:
            before = file.read_text("utf-8") if file.exists() else None
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{file}: cannot be read as UTF-8 text; check its permissions") from error
        draft = cls(file, before, _new_text(file.parent) if before is None else before, environ)
        draft.loaded()
        return draft

    @property
    def env_file(self) -> Path:
        """Where the secrets are."""
        return self.file.parent / ".env"

    def loaded(self) -> LoadedSettings:
        """Return the settings as they will be."""
        return read_settings(self.text, self.file.name, self.environment(), self.file.parent)

    def environment(self) -> Mapping[str, str]:
        """Return the variables as Parley will see them."""
        return {**with_dotenv({}, self.env_file), **self.variables, **self.environ}

    def set_value(self, path: tuple[str, ...], value: Json) -> Draft:
        """Return it with a value at `path`."""
        return replace(self, text=set_value(self.text, path, value))

    def set_variable(self, name: str, value: str) -> Draft:
        """Return it with a variable. Raises ConfigError where the environment has another value."""
        if self.environ.get(name, value) != value:
            raise ConfigError(f"{name} is set in the environment, which {self.env_file} cannot change")
        with_variables(self.env_file, {name: value})
        return replace(self, variables={**self.variables, name: value})

    def add_admin(self, channel: str, user: str) -> Draft:
        """Return it with an administrator of a channel."""
        return replace(self, text=add_to_list(self.text, ("channels", channel, "admins"), user))

    def add_channel(self, channel: str, keys: Mapping[str, str], server: str = "") -> Draft:
        """Return it with a channel on: `keys` become variables, to which the section refers.

        With `server` another server takes the platform's place.
        """
        draft, section = self, ("channels", channel)
        elsewhere = channel_config(channel).at_server(server) if server else {}
        for key, value in {**keys, **elsewhere}.items():
            if key not in elsewhere:
                draft = draft.set_variable(variable_name(channel, key), value)
                value = f"${variable_name(channel, key)}"
            if draft.differs(channel, key, elsewhere.get(key) or keys[key]):
                draft = draft.set_value((*section, key), value)
        off = draft.loaded().plans[channel].config.enabled is False
        return draft.set_value((*section, "enabled"), True) if off else draft

    def differs(self, channel: str, key: str, value: str) -> bool:
        """Tell whether a key of a channel's section has another value so far."""
        found, kind = self.loaded().plans[channel].config, channel_config(channel)
        return bool(getattr(found, key) != getattr(kind.model_validate({key: value}), key))

    def changes(self) -> Iterator[str]:
        """Yield what would change, a line each; secrets are not shown."""
        new, old = self.text.splitlines(), [] if self.before is None else self.before.splitlines()
        if self.before is None:
            yield f"+ {self.file}"
            old = shipped_text().splitlines()
        hide = secret_hider(self.loaded().settings)
        yield from map(hide, changed_lines(old, new))
        known = with_dotenv({}, self.env_file)
        for name, value in self.variables.items():
            if known.get(name) != value:
                yield f"{'~' if known.get(name) else '+'} {self.env_file.name}: {name}=***"

    def write(self) -> list[Path]:
        """Write both files, or neither; return the copies of what they were. Raises ParleyError."""
        with _uninterrupted():
            if self.file.exists() != (self.before is not None) or (
                self.before is not None and self.file.read_text("utf-8") != self.before
            ):
                raise ConfigError(f"{self.file} was changed by somebody else in the meantime; begin again")
            return self._write()

    def _write(self) -> list[Path]:
        secrets_before = self.env_file.read_text("utf-8") if self.env_file.exists() else None
        secrets = with_variables(self.env_file, self.variables) if self.variables else secrets_before
        copies = []
        for path, old, new in (
            (self.env_file, secrets_before, secrets),
            (self.file, self.before, self.text),
        ):
            if old is not None and new != old:
                copies.append(_copy_of(path, self.suffix))
                replace_private_file(copies[-1], old)
        # Rules before tokens: a kill between the two leaves a platform off, not one without its rules.
        if self.text != self.before:
            _replace(self.file.resolve(), self.text)
        if secrets is not None and secrets != secrets_before:
            try:
                replace_private_file(self.env_file.resolve(), secrets)
            except ParleyError:
                self._take_back()
                raise
        return copies

    def _take_back(self) -> None:
        if self.before is None:
            self.file.unlink(missing_ok=True)
        elif self.text != self.before:
            _replace(self.file.resolve(), self.before)


def shipped_text() -> str:
    """Return the configuration that Parley comes with: every setting and its default."""
    return files("parley.app.settings").joinpath("default.yaml").read_text("utf-8")


def _new_text(folder: Path) -> str:
    """Return the text of a new file, with a graph of the langgraph.json beside it, where there is one."""
    project, text = read_langgraph_file(folder), shipped_text()
    return set_value(text, ("agent", "assistant"), next(iter(project.graphs))) if project else text


def variable_name(channel: str, key: str) -> str:
    """Return the environment variable for a key of a channel's section."""
    return f"{channel}_{key}".upper().replace("-", "_")


def _copy_of(path: Path, suffix: str) -> Path:
    """Return a free name for a copy of a file."""
    base = path.with_name(f"{path.name}{suffix}")
    taken = (base.with_name(f"{base.name}-{number}") for number in itertools.count(2))
    return base if not base.exists() else next(each for each in taken if not each.exists())


def _replace(path: Path, text: str) -> None:
    """Replace a file, and leave it as readable as it was."""
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    replace_private_file(path, text)
    if mode is not None:
        path.chmod(mode)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold back signals that would end us between two files."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
