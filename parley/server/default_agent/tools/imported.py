"""Tools of somebody's own code, by import path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from langchain_core.tools import BaseTool, tool

from parley.core.model.errors import ConfigError
from parley.server.graphs.projects import Project, import_attribute

PLACE = "built_in.tools"


def import_tools(paths: Iterable[str], project: Project) -> list[BaseTool]:
    """Return the tools at `module:name` or `file.py:name`: functions, LangChain tools, or lists of them.

    Raises ConfigError for a path that cannot be imported, and for what is no tool.
    """
    return [made for path in paths for made in _tools(path, import_attribute(PLACE, path, project))]


def _tools(path: str, found: object) -> Iterator[BaseTool]:
    if isinstance(found, list | tuple):
        for each in found:
            yield from _tools(path, each)
    elif isinstance(found, BaseTool):
        yield found
    elif callable(found) and not isinstance(found, type):
        try:
            yield tool(found)
        except (TypeError, ValueError) as error:
            raise ConfigError(
                f"{PLACE}: {path} cannot be a tool: {error}; give it types, and a docstring for the model"
            ) from error
    else:
        raise ConfigError(
            f"{PLACE}: {path} is {type(found).__name__}; name a function, a LangChain tool, or a list of them"
        )
