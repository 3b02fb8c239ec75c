"""Arguments of tools, as a model writes them: checked against the tool's schema, and nothing else taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from parley.core.model.types import Json
from parley.core.ports.memory.tools import ToolRefused, ToolSpec, tool_specs

_DAYS = frozenset({"since", "until"})


def check_arguments(tool: str, arguments: object, categories: Sequence[str]) -> dict[str, Json]:
    """Return the arguments with defaults filled in. Raises ToolRefused, which names what is wrong."""
    spec = next((spec for spec in tool_specs(categories) if spec.name == tool), None)
    if spec is None:
        raise ToolRefused("There is no such tool.")
    if not isinstance(arguments, Mapping):
        raise ToolRefused("The arguments must be an object.")
    properties = _properties(spec)
    if any(name not in properties for name in arguments):
        raise ToolRefused(
            f"{tool} takes {', '.join(properties)} only. Whose memory it is follows from the run."
        )
    found = {name: _value(name, rule, arguments.get(name)) for name, rule in properties.items()}
    required = spec.schema["required"]
    missing = [name for name in required if not found[str(name)]] if isinstance(required, list) else []
    if missing:
        raise ToolRefused(f"{missing[0]} is missing.")
    return found


def _properties(spec: ToolSpec) -> Mapping[str, Mapping[str, Json]]:
    given = spec.schema["properties"]
    assert isinstance(given, dict)  # noqa: S101 - our own schema
    return {name: rule for name, rule in given.items() if isinstance(rule, dict)}


def _value(name: str, rule: Mapping[str, Json], given: object) -> Json:
    if given is None:
        return rule.get("default", "")
    if rule["type"] == "integer":
        return _number(name, rule, given)
    if not isinstance(given, str):
        raise ToolRefused(f"{name} must be a text.")
    most, allowed = rule.get("maxLength"), rule.get("enum")
    if isinstance(most, int) and len(given) > most:
        raise ToolRefused(f"{name} has at most {most} characters.")
    if isinstance(allowed, list) and given not in allowed:
        raise ToolRefused(f"{name} is one of: {', '.join(map(str, allowed))}.")
    text = given.strip()
    if name in _DAYS and text:
        _check_day(name, text)
    return text


def _number(name: str, rule: Mapping[str, Json], given: object) -> int:
    least, most = rule["minimum"], rule["maximum"]
    if not isinstance(given, int) or isinstance(given, bool) or not isinstance(most, int):
        raise ToolRefused(f"{name} must be a whole number.")
    return max(int(str(least)), min(given, most))


def _check_day(name: str, text: str) -> None:
    try:
        good = date.fromisoformat(text).isoformat() == text
    except ValueError:
        good = False
    if not good:
        raise ToolRefused(f"{name} must be a day such as 2026-11-25.")
