"""A pytest plugin that hands out tests to processes by module, and the contract suite's by channel, too.

Together, the contract's tests take longer than a fair share of all, and the other processes wait for them.
What takes longest is handed out first: at the end, too, all processes have something to do.
"""

from __future__ import annotations

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

_DIVIDED = "tests/contract/test_contract.py::"

_PER_TEST = 0.2
LONG = {
    "tests/e2e/install/test_distribution.py": 200,
    "tests/e2e/operation/test_reload.py": 70,
    "tests/e2e/operation/test_poison_messages.py": 70,
    "tests/e2e/chat/test_questions.py": 70,
    "tests/e2e/install/test_documents.py": 70,
    "tests/e2e/people/test_privacy.py": 60,
    "tests/e2e/apps/test_bot_loops.py": 60,
    "tests/e2e/install/test_by_hand.py": 60,
    "tests/e2e/operation/test_backup.py": 50,
    "tests/e2e/people/test_pairing.py": 40,
    "tests/e2e/operation/test_moved_database.py": 40,
    "tests/e2e/people/test_memory.py": 40,
    "tests/e2e/client/test_documents.py": 40,
    "tests/e2e/people/test_file_permissions.py": 40,
    "tests/e2e/chat/test_voice.py": 40,
    "tests/e2e/operation/test_doctor.py": 40,
    "tests/e2e/chat/test_edits_and_missed.py": 40,
    "tests/e2e/upgrade/test_stores.py": 30,
    "tests/e2e/operation/test_watchdog.py": 30,
    "tests/e2e/chat/test_conversations.py": 30,
    "tests/contract/test_contract.py::test_promise[dingtalk": 45,
    "tests/contract/test_contract.py::test_promise[telegram": 45,
    "tests/contract/test_contract.py::test_promise[web": 40,
    "tests/contract/test_telegram_edit.py": 30,
    "tests/conformance/test_turns.py": 30,
    "tests/unit/server/default_agent/mcp/test_accounts.py": 30,
    "tests/e2e/operation/test_startup.py": 20,
    "tests/unit/app/cli/test_main.py": 20,
    "tests/unit/app/process/test_watchdog.py": 15,
    "tests/unit/console/api/test_dead_letters.py": 13,
    "tests/unit/server/default_agent/files/test_workspace.py": 11,
    "tests/unit/server/default_agent/test_subagents.py": 11,
    "tests/architecture/test_names.py": 10,
    "tests/e2e/chat/test_files.py": 9,
    "tests/unit/memory/learning/test_pipeline_kill.py": 9,
    "tests/unit/server/default_agent/files/test_commands.py": 8,
    "tests/unit/memory/storage/test_json_files_crash.py": 8,
    "tests/unit/app/monitoring/test_tracing.py": 8,
    "tests/unit/store/sqlite/test_subject_index.py": 7,
    "tests/unit/app/doctor/test_secrets.py": 6,
    "tests/architecture/test_import_rules.py": 6,
    "tests/unit/core/turns/test_past_turns.py": 6,
    "tests/unit/server/runs/test_process_kill.py": 5,
    "tests/unit/store/sqlite/test_crash.py": 5,
    "tests/unit/app/composition/test_abilities_off.py": 5,
}
"""Seconds, roughly, that modules take whose number of tests does not tell."""


def scope_of(test: str) -> str:
    """Return what stays in one process with a test: its module, or its promise's channel."""
    return test.partition("-")[0] if test.startswith(_DIVIDED) else test.rsplit("::", 1)[0]


def seconds_of(scope: str, tests: int) -> float:
    """Return about how long the tests of a scope take."""
    return LONG.get(scope, _PER_TEST * tests)


class ContractByChannel(LoadScopeScheduling):  # type: ignore[misc]  # the library has no types
    """Schedules by `scope_of`, the longest first."""

    def _assign_work_unit(self, node: WorkerController) -> None:
        if not self.assigned_work.get(node):
            for scope in sorted(self.workqueue, key=self._haste):
                self.workqueue.move_to_end(scope)
        super()._assign_work_unit(node)

    def _haste(self, scope: str) -> float:
        return -seconds_of(scope, len(self.workqueue[scope]))

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ContractByChannel:
    return ContractByChannel(config, log)
