"""The simulators as a product: found by folder, alone in a terminal, and as fixtures of users' tests."""

import re
import signal
import socket
import subprocess
import sys

import httpx
import pytest

from parley.simulator.registry import platforms, running, simulator_class
from tests.kit.bounded_process import BoundedProcess
from tests.kit.checkout import ROOT
from tests.kit.machine import patience

FILE = re.compile(r"`([\w.]+\.py)`[^\n]*:\n\n```python\n(.*?)```", re.DOTALL)


def run(folder, *command):
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=patience(100),
        check=False,
    )


@pytest.mark.journeys
@pytest.mark.timeout(120)
def test_the_documents_example_works_as_it_stands(tmp_path):
    document = (ROOT / "docs/simulators.md").read_text("utf-8")
    files = dict(FILE.findall(document))
    assert set(files) == {"my_graph.py", "conftest.py", "test_my_agent.py"}
    for name, content in files.items():
        (tmp_path / name).write_text(content, "utf-8")
    result = run(tmp_path, "pytest", "-q", "-p", "no:cacheprovider")
    assert result.returncode == 0, result.stdout
    assert "2 passed" in result.stdout


BROKEN = """
import pytest

def test_it(parley_factory):
    with pytest.raises(RuntimeError, match="agent.mode"):
        parley_factory(agent={"mode": "fast"})

def test_there(simulator_factory):
    with pytest.raises(LookupError, match="telegram"):
        simulator_factory("carrier pigeon")
    one, two = simulator_factory("telegram"), simulator_factory("telegram")
    assert one.api_url != two.api_url
"""


@pytest.mark.journeys
def test_mistakes_are_told_to_the_one_who_made_them(tmp_path):
    (tmp_path / "test_broken.py").write_text(BROKEN)
    result = run(tmp_path, "pytest", "-q", "-p", "no:cacheprovider", "-p", "parley.simulator.plugin")
    assert "2 passed" in result.stdout, result.stdout


@pytest.mark.parametrize("platform", platforms())
def test_every_platform_can_be_entered_and_left(platform):
    with simulator_class(platform)() as simulator:
        assert simulator.people
        assert simulator.faults


@pytest.mark.parametrize("platform", platforms())
def test_every_platform_stands_alone_and_says_how_to_use_it(tmp_path, platform):
    command = [sys.executable, "-m", "parley", "simulate", platform]
    environment = {"PYTHONPATH": str(ROOT)}
    with BoundedProcess(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        lines = iter(program.stdout)
        said = "".join(iter(lambda: next(lines), "Ctrl-C ends it.\n"))
        program.send_signal(signal.SIGINT)
        assert program.wait(patience(20)) == 0
    assert f"    {platform}:\n" in said
    assert re.search(r"curl http://127\.0\.0\.1:\d+/sim/", said)


@pytest.mark.parametrize("platform", platforms())
def test_each_call_that_is_advised_is_one_that_there_is(platform):
    with running(platform) as advice:
        calls = re.findall(r"curl (http://\S+) -d '(.*)'", advice)
        answers = [httpx.post(url, content=body, trust_env=False).json() for url, body in calls]
    assert calls
    for (url, _), answer in zip(calls, answers, strict=True):
        # What is to be filled in is not found, and nobody listens; verb and arguments are right.
        wrong = str(answer.get("error", "") if isinstance(answer, dict) else "")
        assert not wrong.startswith(("verbs:", "TypeError")), (url, answer)


def test_a_taken_port_is_told_at_once(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run(tmp_path, "parley", "simulate", "telegram", "--port", str(port))
    assert result.returncode == 1
    assert f"port {port} cannot be used" in result.stderr
