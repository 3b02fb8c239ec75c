"""A project's `langgraph.json`, as the official command line writes and reads it.

Its keys: https://docs.langchain.com/langsmith/cli (configuration file).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from parley.app.settings.parsing.dotenv import with_dotenv
from parley.core.model.errors import ConfigError
from parley.core.model.types import Json

PROJECT_FILE = "langgraph.json"
_MOST_BYTES = 1_000_000
_PACKAGE = re.compile(r"[\w.-]{1,100}")
_IN_EFFECT = ("graphs", "env", "dependencies", "store")
_OF_NO_EFFECT = (
    *("$schema", "api_version", "base_image", "image_distro", "keep_pkg_tools", "node_version"),
    *("dockerfile_lines", "pip_config_file", "pip_installer", "python_version", "source"),
)
"""About the image that the official command line builds: here nothing is built."""


@dataclass(frozen=True, slots=True)
class LangGraphProject:
    """What a project says: graphs by name as `FILE:NAME`, folders that it imports from, and its variables.

    `remarks` say what in it does nothing here. `store_index` has the keys of `store.index`, none where it
    has no embedder.
    """

    graphs: Mapping[str, str]
    folders: tuple[Path, ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    remarks: tuple[str, ...] = ()
    store_index: Mapping[str, Json] = field(default_factory=dict)


def read_langgraph_file(folder: Path) -> LangGraphProject | None:
    """Read the project of a folder; None where it has none. Raises ConfigError that says what to write."""
    file = folder / PROJECT_FILE
    if not file.is_file():
        return None
    tree = _tree(file)
    graphs = tree.get("graphs")
    if not isinstance(graphs, dict) or not graphs:
        raise ConfigError(f'{file}: graphs: write at least one, such as {{"agent": "./agent.py:graph"}}')
    dependencies = _texts(file, "dependencies", tree.get("dependencies", ["."]))
    return LangGraphProject(
        {name: _spec(file, name, value) for name, value in graphs.items()},
        tuple(_folders(file, dependencies)),
        _environ(file, tree.get("env")),
        (*_not_installed(dependencies), *_not_supported(tree)),
        _store_index(file, tree.get("store")),
    )


def _tree(file: Path) -> dict[str, Json]:
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise ConfigError(f"{file}: has more than {_MOST_BYTES:,} bytes")
        tree: Json = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{file}: cannot be read: {error}") from error
    if not isinstance(tree, dict):
        raise ConfigError(f"{file}: must be an object with graphs")
    return tree


def _spec(file: Path, name: str, value: Json) -> str:
    """Return where a graph is; its file is looked for beside the project's file."""
    spec = value.get("path") if isinstance(value, dict) else value
    target, _, attribute = spec.rpartition(":") if isinstance(spec, str) else ("", "", "")
    if not target or not attribute.isidentifier():
        raise ConfigError(f'{file}: graphs.{name}: must be "FILE.py:NAME", not {json.dumps(spec)[:200]}')
    if target.endswith((".js", ".ts", ".mjs", ".mts")):
        raise ConfigError(f"{file}: graphs.{name}: only Python runs here; {target} needs `langgraph dev`")
    return f"{file.parent / target}:{attribute}" if target.endswith(".py") else f"{target}:{attribute}"


def _texts(file: Path, key: str, value: Json) -> Sequence[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ConfigError(f"{file}: {key}: must be a list of texts")
    return [str(each) for each in value]


def _folders(file: Path, dependencies: Sequence[str]) -> Iterator[Path]:
    for each in dependencies:
        if each.startswith("."):
            folder = file.parent / each
            if not folder.is_dir():
                raise ConfigError(f"{file}: dependencies: there is no folder {folder}")
            yield folder


def _environ(file: Path, value: Json) -> Mapping[str, str]:
    if value is None:
        return {}
    if isinstance(value, str):
        return with_dotenv({}, file.parent / value)
    if isinstance(value, dict):
        return {name: str(each) for name, each in value.items() if isinstance(each, str | int | float)}
    raise ConfigError(f"{file}: env: must be a file or an object of variables")


def _store_index(file: Path, value: Json) -> Mapping[str, Json]:
    """Return how items of the store are found by meaning; the file of an embedder is beside the project's."""
    index = value.get("index") if isinstance(value, dict) else None
    if not isinstance(index, dict):
        return {}
    embed = index.get("embed")
    if not isinstance(embed, str) or ":" not in embed:
        raise ConfigError(f'{file}: store.index.embed: must be "provider:model" or "FILE.py:NAME"')
    target, _, name = embed.rpartition(":")
    place = f"{file.parent / target}:{name}" if target.endswith(".py") else embed
    return {"dims": index.get("dims", 0), "fields": index.get("fields", ["$"]), "embed": place}


def _not_installed(dependencies: Sequence[str]) -> Iterator[str]:
    """Say which packages are wanted and are not here: nothing is installed for a project."""
    for each in dependencies:
        name = _PACKAGE.match(each)
        if each.startswith(".") or name is None:
            continue
        try:
            distribution(name[0])
        except PackageNotFoundError:
            yield f"{PROJECT_FILE}: dependencies: {name[0]} is not installed; run: pip install {name[0]}"


def _not_supported(tree: Mapping[str, Json]) -> Iterator[str]:
    store = tree.get("store")
    within = [f"store.{key}" for key in store if key != "index"] if isinstance(store, dict) else []
    for key in (*tree, *within):
        if key not in _IN_EFFECT and key not in _OF_NO_EFFECT:
            remedy = "what needs it runs under `langgraph dev`, at agent.url"
            yield f"{PROJECT_FILE}: {key} does nothing here; {remedy}"
