"""Tests that another engine runs in the full edition only: they use the store as others do, or not at all."""

from __future__ import annotations

import re

ALIKE = (
    "tests/e2e/apps/",
    "tests/e2e/built_in/",
    "tests/e2e/client/",
    "tests/e2e/chat/test_commands.py",
    "tests/e2e/chat/test_conversations.py",
    "tests/e2e/chat/test_files.py",
    "tests/e2e/chat/test_interrupt_shapes.py",
    "tests/e2e/chat/test_voice.py",
    "tests/e2e/install/",
    "tests/e2e/operation/test_moved_database.py",
    "tests/e2e/operation/test_reload.py",
    "tests/e2e/operation/test_separate_agent.py",
    "tests/e2e/operation/test_startup.py",
    "tests/e2e/operation/test_terminal.py",
    "tests/e2e/operation/test_watchdog.py",
    "tests/e2e/people/test_authentication.py",
    "tests/e2e/people/test_file_permissions.py",
    "tests/e2e/upgrade/test_configurations.py",
)
QUESTIONS = "tests/e2e/chat/test_questions.py"
"""One platform of it stands for all."""
_QUESTIONS_ELSEWHERE = re.compile(rf"{re.escape(QUESTIONS)}.*\[(?!slack)")


def is_alike(nodeid: str) -> bool:
    """Tell whether a test, named as pytest names it, tells nothing new of another engine."""
    return nodeid.startswith(ALIKE) or bool(_QUESTIONS_ELSEWHERE.match(nodeid))
