"""Who may know whom."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from tests.kit.checkout import IMPORTED_AS, PACKAGES, ROOT, modules, modules_with, name, parsed
from tests.kit.machine import patience

PLATFORM = re.compile(r"slack|telegram|feishu|lark|dingtalk|discord|wecom|whatsapp", re.IGNORECASE)
# The places where whatever breaks must not reach its neighbours.
# A user's module may raise anything when it is imported; that becomes one line.
SUPERVISORS = {
    "parley/app/reload/reloader.py",
    "parley/app/supervision/channel_supervisor.py",
    "parley/core/scheduler/lane_worker.py",
    "parley/server/graphs/projects.py",
}


def test_the_core_names_no_platform():
    named = {name(path): PLATFORM.findall(path.read_text("utf-8")) for path in modules("parley/core")}
    assert {path: found for path, found in named.items() if found} == {}


def test_import_contracts_hold():
    linter = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run(
        [linter], cwd=ROOT, capture_output=True, text=True, check=False, timeout=patience(50)
    )
    assert result.returncode == 0, result.stdout


def test_every_foreign_import_is_a_declared_dependency():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = (line for lines in project["optional-dependencies"].values() for line in lines)
    declared = {normal(re.split(r"[^\w.-]", line)[0]) for line in [*project["dependencies"], *extras]}
    homes = packages_distributions()
    undeclared: dict[str, str] = {}
    for path in modules():
        for top in imports(path) - set(sys.stdlib_module_names) - set(IMPORTED_AS):
            if not declared & {normal(home) for home in homes.get(top, [])}:
                undeclared.setdefault(top, name(path))
    assert undeclared == {}


def normal(distribution):
    return re.sub(r"[-_.]+", "-", distribution).lower()


def imports(path):
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
    return found


def test_only_supervisors_catch_everything():
    shipped = modules_with(
        r"\bexcept\b(\s*:|[^:]*Exception)", *(package for package in PACKAGES if package != "benchmarks")
    )
    broad = {name(path) for path in shipped if any(map(is_broad, ast.walk(parsed(path))))}
    assert broad == SUPERVISORS


def is_broad(node):
    """Whether a handler takes every error and keeps it; one that cleans up and raises it again does not."""
    if not isinstance(node, ast.ExceptHandler):
        return False
    last = node.body[-1]
    if isinstance(last, ast.Raise) and last.exc is None:
        return False
    names = {each.id for each in ast.walk(node.type) if isinstance(each, ast.Name)} if node.type else set()
    return node.type is None or bool(names & {"Exception", "BaseException"})
