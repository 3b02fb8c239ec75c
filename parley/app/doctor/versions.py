"""Versions: Python, Parley, and the packages beside the lowest ones that Parley works with."""

from __future__ import annotations

import platform
import ssl
import sys
import tomllib
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version

import parley.version
from parley.app.doctor.context import DoctorContext
from parley.app.doctor.result import CheckResult, failed, succeeded
from parley.app.extras import install_command
from parley.app.settings.load import LoadedSettings
from parley.version import VERSION

_DISTRIBUTION = "parley-bridge"
_OLDEST_PYTHON = (3, 11)
_PROJECT = Path(parley.version.__file__).parent.parent / "pyproject.toml"


async def probe_versions(context: DoctorContext) -> AsyncIterator[CheckResult]:
    """Yield the versions of what runs, and each package that is too old, or is missing where it is needed."""
    context.say("versions: Python and packages")
    python = platform.python_version()
    text = (
        f"Parley {VERSION}, Python {python}, {ssl.OPENSSL_VERSION}, {platform.system()} {platform.machine()}"
    )
    if sys.version_info < _OLDEST_PYTHON:
        yield failed("versions.python", text, "use Python 3.11 or later", plain=True)
    else:
        yield succeeded("versions.python", text, plain=True)
    wrong = [*find_wrong_packages(needed_requirements(context.loaded))]
    for result in wrong or [succeeded("versions.packages", "every package is new enough", plain=True)]:
        yield result


def needed_extras(loaded: LoadedSettings) -> tuple[str, ...]:
    """Return the extras that these settings need."""
    settings = loaded.settings
    kinds = [loaded.plans[name].kind for name in loaded.channels if name != "web"]
    found = [*kinds]
    found += ["embedded"] if settings.agent.embedded else []
    found += ["mcp"] if settings.agent.built_in and settings.built_in.mcp.file else []
    found += ["workspace"] if settings.agent.built_in and settings.built_in.workspace.enabled else []
    found += [] if settings.store.embedded else ["postgres"]
    found += ["embedding"] if settings.memory.enabled and settings.memory.embedding != "none" else []
    return tuple(dict.fromkeys(found))


def declared_packages() -> frozenset[str]:
    """Return the names, in small letters, of all packages that Parley asks for, in any extra."""
    return frozenset(each.name.lower() for lines in _declared().values() for each in _parsed(lines))


def needed_requirements(loaded: LoadedSettings) -> Mapping[str, tuple[Requirement, ...]]:
    """Return what has to be installed for these settings, by extra ("": for everything)."""
    known = {extra: tuple(_parsed(lines)) for extra, lines in _declared().items()}
    return {extra: known.get(extra, ()) for extra in ("", *needed_extras(loaded))}


def find_wrong_packages(needed: Mapping[str, tuple[Requirement, ...]]) -> Iterator[CheckResult]:
    """Yield each package that is missing, or older than the lowest that works."""
    for extra, requirements in needed.items():
        for each in requirements:
            if each.marker is not None and not each.marker.evaluate({"extra": extra}):
                continue
            if text := _wrong(each):
                command = install_command(extra) if extra else f"pip install --upgrade '{each}'"
                yield failed(f"versions.{each.name.lower()}", text, f"run: {command}", plain=True)


def _wrong(requirement: Requirement) -> str:
    try:
        found = Version(version(requirement.name))
    except PackageNotFoundError:
        return f"{requirement.name} is not installed"
    except InvalidVersion:
        return ""
    if requirement.specifier.contains(found, prereleases=True):
        return ""
    return f"{requirement.name} is {found}, and Parley needs {requirement.specifier}"


def _declared() -> Mapping[str, Iterable[str]]:
    """Return the requirements that the distribution declares, or the checkout where none is installed."""
    try:
        installed = requires(_DISTRIBUTION) or []
    except PackageNotFoundError:
        return _of_checkout()
    extras: dict[str, list[str]] = {}
    for line in installed:
        _, _, condition = line.partition("extra == ")
        extras.setdefault(condition.strip("\"' )"), []).append(line)
    return extras


def _of_checkout() -> Mapping[str, Iterable[str]]:
    try:
        project = tomllib.loads(_PROJECT.read_text("utf-8"))["project"]
    except (OSError, tomllib.TOMLDecodeError, KeyError):
        return {}
    return {"": project["dependencies"], **project["optional-dependencies"]}


def _parsed(lines: Iterable[str]) -> Iterator[Requirement]:
    for line in lines:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        if requirement.name != _DISTRIBUTION:
            yield requirement
