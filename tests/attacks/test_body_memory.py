"""Bodies of hundreds of thousands of mistakes at the agent server: refused, in little memory."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest

from tests.kit.checkout import ROOT
from tests.kit.machine import patience

pytestmark = pytest.mark.attacks

MANY = 300_000
CHILD = """
from pathlib import Path
from parley.server.app import create_app
from parley.server.http_errors import Problem
from parley.server.json_bodies import parse_model
from parley.server.options import EmbeddedOptions
from parley.server.routes.api_route import ApiRoute

app = create_app(EmbeddedOptions(Path("unused")))
models = {route.body for route in app.routes if isinstance(route, ApiRoute) and route.body}
fields = {(model, name) for model in models for name in model.model_fields}
many = b"[" + b"1," * %(many)d + b"1]"
for model, name in sorted(fields, key=str):
    for body in (b'{"%%b": %%b}' %% (name.encode(), many), b'[{"%%b": %%b}]' %% (name.encode(), many)):
        try:
            parse_model(model, body)
        except Problem as problem:
            assert len(problem.detail) < 5000, (model, name)
for body in (many, b"[" + b"{}," * %(many)d + b"{}]", b'{"config": {"tags": %%b}}' %% many):
    for model in models:
        try:
            parse_model(model, body)
        except Problem as problem:
            assert len(problem.detail) < 5000, model
# Not ru_maxrss: that begins with what the process had that made this one.
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(int(status["VmHWM"].split()[0]) // 1024)
"""


async def test_a_body_of_mistakes_costs_little_memory() -> None:
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", CHILD % {"many": MANY}), cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    told: Any = (await asyncio.wait_for(child.communicate(), patience(60)))[0]
    assert child.returncode == 0
    # 110 MB before any body; the errors of one such body alone took 350 more.
    assert int(told) < 220
