"""From a file and an environment to settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path as File

from pydantic import ValidationError

from parley.app.settings.channel_sections import ChannelPlan, ChannelSections, beside, unset_problem
from parley.app.settings.langgraph_file import PROJECT_FILE, LangGraphProject, read_langgraph_file
from parley.app.settings.parsing.problems import ConfigProblem, Path, to_config_error
from parley.app.settings.parsing.variables import Expansion, expand_variables
from parley.app.settings.parsing.yaml_tree import YamlTree, parse_yaml
from parley.app.settings.pydantic_errors import translate_errors
from parley.app.settings.schema.model import Settings
from parley.channels.kit.config import ChannelConfig
from parley.core.model.errors import ConfigError

DEFAULT_FILE = File("config.yaml")


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

    `environ` fills in `$NAMES`. Raises ConfigError whose text has one line for each mistake.
    """
    path = folder / (file or DEFAULT_FILE)
    if file is None and not path.exists():
        return read_settings("", "the defaults (there is no config.yaml)", environ, folder)
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
    source = parse_yaml(text)
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
