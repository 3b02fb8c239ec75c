"""From a file and an environment to settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path as File

from pydantic import ValidationError

from parley.app.settings.channel_sections import ChannelPlan, ChannelSections, beside, unset_problem
from parley.app.settings.langgraph_file import PROJECT_FILE, LangGraphProject, read_langgraph_file
from parley.app.settings.parsing.problems import ConfigProblem, Path, to_config_error
from parley.app.settings.parsing.variables import Expansion, expand_variables, variable_names
from parley.app.settings.parsing.yaml_tree import YamlTree, parse_yaml
from parley.app.settings.pydantic_errors import translate_errors
from parley.app.settings.schema.model import CONFIG_VERSION, Settings
from parley.channels.kit.config import ChannelConfig
from parley.core.model.errors import ConfigError
from parley.core.model.types import Json

DEFAULT_FILE = File("config.yaml")
SHIPPED_FILE = File(__file__).with_name("default.yaml")
"""All settings with their defaults, as they are shipped."""


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings, the plan of every channel, where durable state lives, and where the settings came from.

    `source` is the file as it was written. `project` is that of a langgraph.json beside it, where its graphs
    are the agent.
    """

    settings: Settings
    plans: Mapping[str, ChannelPlan]
    data_dir: File
    origin: str
    folder: File
    source: YamlTree = field(repr=False, default_factory=lambda: YamlTree({}))
    project: LangGraphProject | None = None

    @property
    def channels(self) -> dict[str, ChannelConfig]:
        """The channels that are on."""
        return {name: plan.config for name, plan in self.plans.items() if not plan.off}


def load_settings(file: File | None, environ: Mapping[str, str], folder: File) -> LoadedSettings:
    """Read `file`, or `config.yaml` of `folder` when None, or the defaults when that is not there.

    `environ` fills in `$NAMES`: also those of the defaults, so that a token alone switches its channel on.
    Raises ConfigError whose text has one line for each mistake.
    """
    path = folder / (file or DEFAULT_FILE)
    if file is None and not path.exists():
        variables = _variables_of(parse_yaml(SHIPPED_FILE.read_text("utf-8")).tree)
        variables["version"] = CONFIG_VERSION
        return _settings_of(YamlTree(variables), "the defaults (there is no config.yaml)", environ, folder)
    name = str(file or DEFAULT_FILE)
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError as error:
        raise ConfigError(
            f"{name}: no such file; check --config, or leave it out for the defaults"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{name}: cannot be read: {_reason(error)}") from error
    return read_settings(text, name, environ, path.parent)


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return error.strerror or "unknown" if isinstance(error, OSError) else "it is not UTF-8 text"


def read_settings(text: str, name: str, environ: Mapping[str, str], folder: File) -> LoadedSettings:
    """Read YAML `text`; `name` is what mistakes call it, `folder` what `data_dir` is relative to."""
    return _settings_of(parse_yaml(text), name, environ, folder)


def read_values(
    values: Mapping[str, Json], name: str, environ: Mapping[str, str], folder: File
) -> LoadedSettings:
    """Read settings that are no text any more; the rest is as in `read_settings`."""
    return _settings_of(YamlTree(dict(values)), name, environ, folder)


def _variables_of(section: Mapping[str, Json]) -> dict[str, Json]:
    """Return what is read from the environment, in its sections; all else has its default anyway."""
    found: dict[str, Json] = {}
    for key, value in section.items():
        if isinstance(value, dict):
            if below := _variables_of(value):
                found[key] = below
        elif isinstance(value, str) and variable_names(value):
            found[key] = value
    return found


def _settings_of(source: YamlTree, name: str, environ: Mapping[str, str], folder: File) -> LoadedSettings:
    expansion = expand_variables(source.tree, environ)
    mistakes = list(source.mistakes)
    plans = ChannelSections(expansion, source, mistakes).read()
    settings = _top(expansion, source, plans, mistakes)
    if mistakes or settings is None:
        raise to_config_error(name, mistakes)
    try:
        data_dir = folder / File(settings.data_dir).expanduser()
    except RuntimeError as error:
        home = ConfigProblem(
            ("data_dir",), "nobody of that name has a folder here; write it out", source.line(("data_dir",))
        )
        raise to_config_error(name, [home]) from error
    settings, project = _with_project(settings, name, folder, source)
    return LoadedSettings(settings, plans, data_dir, name, folder, source, project)


def _with_project(
    settings: Settings, name: str, folder: File, source: YamlTree
) -> tuple[Settings, LangGraphProject | None]:
    """Take the graphs of a langgraph.json beside the configuration, where that names no agent of its own."""
    agent = settings.agent
    project = read_langgraph_file(folder) if agent.demonstrates else None
    if project is None:
        return settings, None
    assistant = agent.assistant
    if assistant not in project.graphs:
        if "assistant" in agent.model_fields_set:
            known = ", ".join(project.graphs)
            path: Path = ("agent", "assistant")
            text = f"must be one of the graphs of {PROJECT_FILE} ({known}), not {assistant}"
            raise to_config_error(name, [ConfigProblem(path, text, source.line(path))])
        assistant = next(iter(project.graphs))
    changed = agent.model_copy(update={"graphs": dict(project.graphs), "assistant": assistant})
    return settings.model_copy(update={"agent": changed}), project


def _top(
    expansion: Expansion, source: YamlTree, plans: Mapping[str, ChannelPlan], mistakes: list[ConfigProblem]
) -> Settings | None:
    unset = [each for each in expansion.unset if each.path[0] != "channels"]
    mistakes += [unset_problem(each, source) for each in unset]
    tree: dict[str, object] = {
        **expansion.tree,
        "channels": {name: plan.config for name, plan in plans.items()},
    }
    try:
        return Settings.model_validate(tree)
    except ValidationError as error:
        mistakes += beside(unset, translate_errors(error, Settings, source))
        return None
