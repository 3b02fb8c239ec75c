"""A release is one version in every place that has one (docs/releasing.md)."""

from __future__ import annotations

import re
import tomllib
from datetime import date

import yaml
from packaging.version import Version

from parley.version import VERSION
from tests.kit.checkout import ROOT

HEADING = re.compile(r"^## \[([^\]]+)\](?: - (\S+))?$", re.MULTILINE)


def read(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


def test_the_distribution_has_its_version_from_the_package() -> None:
    project = tomllib.loads(read("pyproject.toml"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "parley.version.VERSION"}
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)


def test_the_chart_and_the_image_have_it_too() -> None:
    chart = yaml.safe_load(read("deploy/helm/parley/Chart.yaml"))
    assert (chart["version"], chart["appVersion"]) == (VERSION, VERSION)
    label = re.search(r'org\.opencontainers\.image\.version="([^"]*)"', read("deploy/container/Dockerfile"))
    assert label is not None
    assert label[1] == VERSION


def test_the_changelog_begins_with_what_is_not_released_and_goes_back_in_order() -> None:
    (first, undated), *releases = HEADING.findall(read("CHANGELOG.md"))
    assert (first, undated) == ("Unreleased", "")
    versions = [Version(name) for name, _ in releases]
    days = [date.fromisoformat(day) for _, day in releases]
    assert versions == sorted(set(versions), reverse=True)
    assert days == sorted(days, reverse=True)


def test_the_newest_release_of_the_changelog_is_this_version() -> None:
    """Until the first release there is none."""
    _, *releases = HEADING.findall(read("CHANGELOG.md"))
    assert [name for name, _ in releases[:1]] in ([VERSION], [])
