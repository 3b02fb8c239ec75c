"""How each command of the documents is run by `test_documents.py`, and which are left out, and why."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """A command as it stands in a document.

    `shows` is a pattern for its output, beside the lines that the document shows of it (`as_shown`).
    A command that serves until it is stopped `stays`: what it shows is waited for, then it is interrupted.
    One that only looks whether an answer is there is repeated: `again`. `typed` is what a person answers on
    the terminal, `piped` what comes through a pipe. `idle` ones run where Parley has been stopped.
    """

    shows: str = ""
    code: int = 0
    stays: bool = False
    again: bool = False
    typed: str = ""
    piped: str = ""
    idle: bool = False
    as_shown: bool = True


_POST = (
    'curl -sX POST http://127.0.0.1:8765/api/chat/conversations/from-curl/messages -H "$auth" '
    '-H \'content-type: application/json\' -d \'{"id": "message-0001", "text": "What time is it?"}\''
)
_FACT = (
    "curl -s localhost:8765/api/memory/facts -H \"$auth\" -H 'content-type: application/json' "
    '-d \'{"content": "Prefers tea"}\''
)
_SAY = 'curl http://127.0.0.1:44181/sim/say -d \'{"chat": 1001, "by": 1001, "text": "hello"}\''

RUNS: Mapping[str, Run] = {
    "parley skills install weekly-report.zip": Run("weekly-report.zip: No such file", code=1),
    "parley skills list": Run("There are no skills in"),
    "parley skills remove weekly-report": Run("There is no skill weekly-report", code=1),
    "make run": Run(r"Open http://127\.0\.0\.1:\d+/\?token=\S+ and say hello", stays=True, idle=True),
    "parley init": Run("Parley is running with this folder", typed="\n\n"),
    "parley pair list": Run(),
    "parley pair KQ7M2RXA": Run(),
    "parley unpair telegram:55667788": Run(),
    'curl -s localhost:8765/api/memory -H "$auth"': Run('"facts"'),
    _FACT: Run("Prefers tea"),
    "parley doctor": Run("All good"),
    "parley doctor --bundle support.tar.gz": Run("versions.json"),
    "parley nodes": Run("At most one node", as_shown=False),
    "parley feedback list --days 7 --choice bad": Run("No feedback"),
    "parley feedback list --json": Run(),
    "parley person export telegram:4711": Run(r"All data is in \S+\.zip"),
    "parley person erase telegram:4711": Run("This receipt is in", typed="yes\n"),
    "parley simulate telegram": Run("In config.yaml:.*/sim/say", stays=True),
    _SAY: Run(),
    "curl http://127.0.0.1:44181/sim/answers -d '{\"chat\": 1001}'": Run(again=True),
    ".venv/bin/parley store copy sqlite '$PARLEY_STORE_URL'": Run("Row counts match", idle=True),
    ".venv/bin/parley backup backups/monday": Run(r"Backed up to backups/monday: \d+ files", idle=True),
    ".venv/bin/parley restore backups/monday --replace": Run("The previous data is in", idle=True),
    ".venv/bin/parley backup backups/before": Run(r"Backed up to backups/before: \d+ files", idle=True),
    ".venv/bin/parley config upgrade --dry-run": Run("is up to date|Nothing was written|There is no"),
    ".venv/bin/parley config upgrade --yes": Run("is up to date|There is no"),
    ".venv/bin/parley backup backups/tuesday": Run(r"Backed up to backups/tuesday: \d+ files", idle=True),
    ".venv/bin/parley restore backups/tuesday --replace": Run("The previous data is in", idle=True),
    'curl -s localhost:8765/api/openapi.json -H "$auth"': Run('"openapi": "3.1.0"'),
    'curl -s localhost:8765/api/letters -H "$auth"': Run('"letters"'),
    _POST: Run('"message-0001"'),
    'curl -sN http://127.0.0.1:8765/api/chat/events -H "$auth"': Run("event: ", stays=True),
}
"""Those that stand in blocks, in the words of the document but for comments and line ends."""

NAMED: Mapping[str, Run] = {
    "echo hi | .venv/bin/parley chat": Run("You said: hi"),
    "make chat": Run("You said: hi", piped="hi"),
    "make check": Run("his would start:"),
    "make help": Run("make journeys"),
    "parley": Run("Open http", stays=True, idle=True),
    "parley address": Run(r"http://127\.0\.0\.1:\d+/\?token="),
    "parley audit": Run(),
    "parley chat": Run("You said: hi", piped="hi"),
    "parley config upgrade --yes": Run("is up to date|There is no"),
    "parley check": Run("his would start:"),
    "parley check --print-config": Run("data_dir: data"),
    "parley run --log-json": Run("Open http", stays=True, idle=True),
    "parley check --run": Run('A run of "agent" answered'),
    "parley doctor": Run("All good"),
    "parley doctor --bundle help.tar.gz": Run("versions.json"),
    "parley doctor --json": Run('"outcome": "good"'),
    "parley init": Run("Parley is running with this folder", typed="\n\n"),
    ".venv/bin/parley": Run("Open http", stays=True, idle=True),
    "parley letters drop 812": Run("There is no dead letter of this number", code=1),
    "parley letters list": Run("There are no dead letters"),
    "parley letters retry 812": Run("There is no dead letter of this number", code=1),
    "parley letters show 812": Run("There is no dead letter of this number", code=1),
    "parley memory people": Run(),
    "parley person erase web:local": Run("This receipt is in", typed="yes\n"),
    "parley run": Run("Open http", stays=True, idle=True),
    "parley run --watched": Run("Open http", stays=True, idle=True),
    "parley simulate --help": Run("slack"),
    "parley simulate slack": Run("In config.yaml:.*/sim/say", stays=True),
    "parley threads": Run("STATE"),
    "parley version": Run(r"Parley \d"),
    "python -m parley.channels.dingtalk.card_template": Run('"editorData"'),
    "python -m parley.channels.slack.manifest https://your.host": Run("https://your.host"),
    "python -m parley.channels.slack.manifest https://your.host/hooks/support": Run(
        "https://your.host/hooks/support"
    ),
    "parley simulate dingtalk": Run("In config.yaml:.*/sim/say", stays=True),
    "parley simulate feishu": Run("In config.yaml:.*/sim/say", stays=True),
}
"""Those that stand in sentences."""

_SUITES = "|".join(
    (
        *("test", "agents", "attacks", "fuzz", "journeys", "browser", "teeth", "chaos", "chaos-nodes"),
        "chaos-memory",
        *("soak", "conformance", "vendors", "postgres", "nodes", "site", "deploy"),
    )
)

LEFT_OUT: Mapping[re.Pattern[str], str] = {
    re.compile(rf"(?:\w+=\S+ )*make (?:{_SUITES})(?: .*)?"): "a suite of its own, and this is in one",
    re.compile(r"pytest .*"): "a part of a suite",
    re.compile(r"parley init --yes .*"): "asks the platform; tests/e2e/install/test_init.py asks a simulator",
    re.compile(r"make (?:bench|recall)(?: .*)?"): "measures for minutes, alone on the machine",
    re.compile(r"bash \.ci/run"): "runs all suites, this among them",
    re.compile(
        r"(?:docker|helm) .*"
    ): "needs a container engine or a cluster; tests/deploy checks what they read",
    re.compile(
        r"/opt/parley/bin/pip .*|useradd .*|install -d .*|cp .*|systemctl .*|python3 -m venv .*"
    ): "changes the machine",
    re.compile(
        r"parley/bin/.*"
    ): "works in another environment; tests/e2e/install/test_distribution.py does it",
    re.compile(r"make offline"): "downloads for a minute; tests/e2e/install/test_distribution.py does",
    re.compile(
        r"parley connect(?: \w+)?"
    ): "asks the platform itself; tests/unit/app/cli/admin/test_connect.py asks a simulator",
    re.compile(
        r"parley check --(?:live telegram|replay live-telegram\.jsonl)"
    ): "needs an operator with an account; tests/live/test_commands.py runs it",
    re.compile(
        r"pg_(?:dump|restore) .*"
    ): "needs a PostgreSQL; tests/postgres/product/test_backup.py runs it",
}
NAMED_LEFT_OUT: Mapping[re.Pattern[str], str] = {
    re.compile(r"parley config upgrade"): "asks; tests/unit/app/cli/admin/test_config.py answers",
    re.compile(
        r"(?:\.venv/bin/)?python -m benchmarks[. ]\w+.*"
    ): "measures for minutes, alone on the machine",
    re.compile(r"python -m tests\.mutation .*"): "mutates for minutes",
    re.compile(
        r"python -m tests\.kit\.product\.(?:init_walk|by_hand_walk)"
    ): "tests/e2e/install/test_init.py and test_by_hand.py walk the same ways",
    re.compile(
        r"python -m tests\."
        r"(?:architecture\.code_map|contract\.table|docs\.api_page|unit\.channels\.kit\.markdown\.platform_table)"
    ): "writes into the documents",
    re.compile(r"(?:\.venv/bin/python -m )?pip install .*"): "changes the environment that the tests run in",
    re.compile(r"make"): "the name of the program",
    re.compile(
        r"sh scripts/lock\.sh(?: --upgrade)?"
    ): "asks the package index, and writes the locked packages",
    re.compile(r"make coverage"): "runs the default tests, which this one may be among",
    re.compile(r"make docs"): "builds in an environment of its own; tests/docs/test_site.py does",
    re.compile(r"make picture"): "films the page for half a minute, and writes into the documents",
    re.compile(r"make lint"): "reads all of the checkout for a minute; .ci/run does",
    re.compile(r"openssl .*"): "another program's, which Parley needs nowhere",
    re.compile(r"sqlite3 .*"): "another program's, which Parley needs nowhere",
    re.compile(r"parley letters (?:drop|retry)"): "named without its numbers",
    re.compile(r"parley check --(?:live|replay)"): "named without its channel or file",
    re.compile(r"parley agent(?: --host 0\.0\.0\.0)?"): "takes port 2024; tests/e2e runs it on a free one",
}


def left_out(text: str, named: bool = False) -> str:
    """Return why a command is not run here; nothing when it is."""
    lists = {**LEFT_OUT, **NAMED_LEFT_OUT} if named else LEFT_OUT
    return next((reason for pattern, reason in lists.items() if pattern.fullmatch(text)), "")
