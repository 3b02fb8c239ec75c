"""What each suite runs."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Edition = Literal["full", "usual", "short"]
"""`full` before an issue is called resolved, `usual` in CI, `short` where CI has no time left."""
EDITIONS: tuple[Edition, ...] = ("full", "usual", "short")


@dataclass(frozen=True)
class PytestRun:
    """Tests that pytest runs, in so many processes. A module stays together where it is costly to set up.

    A selection by a mark names the folders, too: to look for marks everywhere costs each process ten seconds.
    In a run of several suites those that `hear` leave what was said over each platform's wire, and who runs
    `only` for that is left out.
    """

    selection: tuple[str, ...] = ()
    processes: int = 1
    together: bool = True
    hear: Literal["", "too", "only"] = ""

    def command(self, edition: Edition) -> list[str]:
        """Return the command line for all of them."""
        shared = ("-p", "tests.suites.scopes", "--dist", "loadscope")
        spread = ["-n", str(self.processes), *(shared if self.together else ("--dist", "worksteal"))]
        return [*self._pytest(edition), *(spread if self.processes > 1 else ())]

    def alone(self, test: str, edition: Edition) -> list[str]:
        """Return the command line for one of them by itself."""
        return [*(word for word in self._pytest(edition) if not word.startswith("tests/")), test]

    def _pytest(self, edition: Edition) -> list[str]:
        plugin = ("-p", "tests.suites.editions", "--edition", edition)
        return [sys.executable, "-m", "pytest", *plugin, *self.selection]


@dataclass(frozen=True)
class Program:
    """A test that is a program of its own; `arguments` are those of an edition."""

    module: str
    arguments: Mapping[Edition, tuple[str, ...]] = field(default_factory=dict)

    def command(self, edition: Edition) -> list[str]:
        """Return the command line."""
        return [sys.executable, "-m", *self.module.split(), *self.arguments.get(edition, ())]


@dataclass(frozen=True)
class Suite:
    """One after the other, all of these. `seconds` is what the usual edition takes on two quiet cores.

    A failed test of a suite that meets real processes, sockets or browsers has a `second_chance`.
    """

    parts: Sequence[PytestRun | Program]
    seconds: int
    second_chance: bool = True


WIRE = ".pytest_cache/wire"
"""Where the contract suite leaves what was said over each platform's wire."""
HEARING = (f"--wire={WIRE}",)
"""For pytest: have it left there. In one word: a second one is a folder of tests to it, once it exists."""
WIRE_UNITS = tuple(
    f"tests/unit/channels/{name}"
    for name in (
        "slack/inbound/test_agent_surface.py",
        "slack/inbound/test_app_home.py",
        "slack/inbound/test_direct_messages.py",
        "slack/inbound/test_message_shortcut.py",
        "slack/outbound/test_reply.py",
        "slack/test_file_transfer.py",
        "telegram/inbound/test_membership.py",
        "telegram/inbound/test_webhook.py",
        "telegram/outbound/test_guest_reply.py",
        "telegram/outbound/test_reply.py",
        "telegram/outbound/test_rich_layout.py",
        "telegram/test_files.py",
        "telegram/test_inline_keyboard.py",
        "telegram/test_remarks.py",
        "feishu/inbound/test_forwarded_conversation.py",
        "feishu/inbound/test_recalled_messages.py",
        "feishu/inbound/test_welcome.py",
        "feishu/outbound/test_receipts.py",
        "feishu/outbound/test_reply.py",
        "feishu/test_files.py",
        "feishu/test_question_card.py",
        "feishu/test_speech_recognition.py",
        "dingtalk/inbound/test_stream.py",
        "dingtalk/outbound/test_question_cards.py",
        "dingtalk/outbound/test_reply.py",
        "dingtalk/test_asker.py",
        "dingtalk/test_files.py",
    )
)
"""Tests of channels that are heard beside the contract: in them occurs what it has none of."""
_ON_THE_WIRE = ("-m", "not teeth", "-k", "not web-", "tests/contract", *WIRE_UNITS)
_JOURNEYS = (
    "tests/e2e",
    "tests/reconnect",
    "tests/contract/test_other_name.py",
    "tests/contract/test_slack_http.py",
    "tests/contract/test_slack_panel.py",
    "tests/unit/app/backup/test_restore.py",
    "tests/architecture/test_install_script.py",
    "tests/unit/simulator/test_plugin.py",
)

_AGENT_SERVER = tuple(
    f"tests/unit/server/{name}"
    for name in (
        "crons",
        "runs/test_webhooks.py",
        "storage/test_item_store.py",
        "test_app.py",
        "test_authorization.py",
        "threads",
    )
)
"""What the embedded agent server promises on every engine of its storage."""

MARKED_FOLDERS = ("agents", "attacks", "browser", "fuzz", "nodes", "postgres", "vendors")
"""Folders of `tests/` in which each test has the folder's mark. The default tests do not look into them: to
import them costs each process two seconds."""
_DEFAULT = tuple(f"--ignore=tests/{folder}" for folder in MARKED_FOLDERS)

SUITES: Mapping[str, Suite] = {
    "test": Suite([PytestRun(_DEFAULT, processes=6, hear="too")], 240, second_chance=False),
    "journeys": Suite([PytestRun(("-m", "journeys", *_JOURNEYS), processes=5, hear="too")], 300),
    "browser": Suite(
        [PytestRun(("-m", "browser", "tests/browser", "tests/e2e/chat/test_browser.py"), 3)], 150
    ),
    "teeth": Suite([PytestRun(("-m", "teeth", "tests/contract"), processes=6, together=False)], 90),
    "chaos": Suite([Program("tests.chaos sqlite", {"full": ("--full",), "short": ("--turns", "60")})], 100),
    "chaos-nodes": Suite(
        [Program("tests.chaos nodes", {"full": ("--full",), "short": ("--turns", "60")})], 100
    ),
    "chaos-memory": Suite(
        [
            Program(
                "tests.chaos.memory",
                {
                    "full": ("--people", "8", "--steps", "25", "--kills", "40"),
                    "short": ("--people", "2", "--steps", "0", "--kills", "2"),
                },
            )
        ],
        70,
    ),
    "attacks": Suite([PytestRun(("-m", "attacks", "tests/attacks"), processes=2, together=False)], 40),
    # Another chance would be another try of something else, and hide what was found.
    "fuzz": Suite(
        [PytestRun(("-m", "fuzz", "tests/fuzz"), processes=2, together=False)], 80, second_chance=False
    ),
    "soak": Suite(
        [PytestRun(("-m", "soak", "tests/soak", "tests/reconnect", "tests/unit/channels/dingtalk"))], 120
    ),
    "site": Suite([PytestRun(("-m", "site", "tests/docs"))], 40),
    "conformance": Suite([PytestRun(("-m", "conformance", "tests/conformance"), processes=2)], 60),
    "agents": Suite([PytestRun(("-m", "agents", "tests/agents"), processes=2)], 60),
    "deploy": Suite([PytestRun(("-m", "deploy", "tests/deploy"), processes=2)], 20),
    # The contract once more, heard on the wire: its shapes are what the vendors' schemas are held against.
    "vendors": Suite(
        [
            PytestRun((*_ON_THE_WIRE, *HEARING), processes=8, together=False, hear="only"),
            PytestRun(("-m", "vendors", "tests/vendors")),
        ],
        150,
    ),
    "postgres": Suite(
        [
            PytestRun(("-m", "postgres", "tests/postgres"), processes=4),
            PytestRun(
                ("--engine", "postgres", "tests/contract", "tests/unit/memory/storage/test_sql.py"), 5, False
            ),
            PytestRun(("--engine", "postgres", "-m", "not browser", "tests/e2e"), processes=4),
            PytestRun(("--engine", "postgres", *_AGENT_SERVER, "tests/conformance"), processes=4),
            PytestRun(("--engine", "postgres", "-m", "agents", "-k", "embedded", "tests/agents")),
        ],
        440,
    ),
    "nodes": Suite([PytestRun(("-m", "nodes", "tests/nodes"), processes=2)], 130),
}
