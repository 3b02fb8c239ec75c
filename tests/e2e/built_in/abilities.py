"""Abilities of the built-in agent, and the tests that show them: a table of docs/contract.md.

`python -m tests.e2e.built_in.abilities` writes it there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.kit.documents import GeneratedPart

TESTS = Path(__file__).parents[2]
PART = GeneratedPart("contract.md", "abilities", "tests.e2e.built_in.abilities")
EVERYWHERE = "all"
_STEPS = "e2e/built_in/test_steps_in_chats.py"
_ALL = "e2e/built_in/test_abilities_in_chats.py"


@dataclass(frozen=True, slots=True)
class Ability:
    """What people see, and the tests for it: on the page, on `platforms`, and through the death of Parley."""

    sentence: str
    page: str
    platform: str
    platforms: str = EVERYWHERE
    killed: str = ""

    def tests(self) -> tuple[str, ...]:
        """Return the tests, as paths and names."""
        return tuple(filter(None, (self.page, self.platform, self.killed)))


def _everywhere(sentence: str, test: str, killed: str = "") -> Ability:
    return Ability(sentence, test, test, killed=killed)


_EVERY_ONE = f"{_ALL}::test_every_ability_works_on_the_page_and_on_every_platform"
_KILLED_TOOL = (
    "e2e/built_in/test_tools.py::test_kill_9_in_the_middle_of_a_tool_that_writes_does_nothing_twice"
)
_SKILL = "e2e/built_in/test_skills.py::test_a_skill_comes_from_an_archive_into_the_chats"
_COMMAND = "e2e/built_in/test_commands.py"
_MCP = "e2e/built_in/test_mcp.py::test_through_chat_with_an_approval_and_kill_9_in_the_middle"
_ACCOUNTS = "e2e/built_in/test_accounts.py"
_THOUGHTS = "e2e/chat/test_thinking.py::test_thoughts_are_shown_while_they_last_and_remembered_by_nobody"
_PICTURES = "e2e/built_in/test_vision.py::test_the_conversation_keeps_them_for_a_model_that_sees"
_NO_PICTURES = (
    "e2e/built_in/test_vision.py::test_who_sends_one_to_a_model_that_does_not_see_reads_that_at_once"
)
ABILITIES = (
    _everywhere("People choose a model; another one answers where the chosen one fails.", _EVERY_ONE),
    _everywhere("Its model sees the pictures that people send.", _PICTURES),
    _everywhere("Who sends one to a model that cannot see them reads that at once.", _NO_PICTURES),
    _everywhere("Its instructions have the person, place, date and language.", _EVERY_ONE),
    _everywhere(
        "What was said long ago is kept in a summary.",
        f"{_ALL}::test_what_was_said_long_ago_is_kept_in_a_summary",
    ),
    Ability("What the model thinks is shown, where that is on.", _THOUGHTS, _THOUGHTS, "Telegram"),
    _everywhere(
        "Its list of tasks is ticked off in the reply.",
        f"{_STEPS}::test_a_list_of_tasks_is_ticked_off_before_their_eyes",
    ),
    Ability(
        "A tool of one's own that changes something asks first, and is called once.",
        _KILLED_TOOL,
        "e2e/built_in/test_subagents.py::test_a_subagent_asks_on_telegram_with_buttons",
        "Telegram",
        _KILLED_TOOL,
    ),
    _everywhere("It reads public addresses of the web only.", _EVERY_ONE),
    _everywhere("Tools that are denied are refused, and a loop ends with a sentence.", _EVERY_ONE),
    _everywhere("It asks the person back, with buttons.", _EVERY_ONE),
    _everywhere("Tokens are counted for the person.", _EVERY_ONE),
    _everywhere(
        "Tools of an MCP server ask first, and are called once.",
        f"{_ALL}::test_a_tool_of_an_mcp_server_is_approved",
        _MCP,
    ),
    _everywhere(
        "Each person signs in to an MCP server by a link of their own.",
        f"{_ACCOUNTS}::test_on_every_platform_a_person_signs_in_by_a_link_of_their_own",
    ),
    Ability(
        "A skill is installed from an archive, switched on, and read.",
        _SKILL,
        _SKILL,
        "Telegram",
        "unit/server/default_agent/skills/test_killed_install.py::test_at_each_point_it_is_all_there_or_not_at_all",
    ),
    _everywhere(
        "Subagents that work at once are a step each, with the task and what is done now.",
        f"{_STEPS}::test_two_subagents_at_once_are_two_steps_that_say_what_each_does",
        "e2e/built_in/test_subagents.py::test_kill_9_in_the_middle_of_a_subagent_does_nothing_twice",
    ),
    _everywhere(
        "A subagent that fails, or takes too long, is a failed step; the answer comes.",
        f"{_STEPS}::test_subagents_that_fail_or_take_too_long_are_failed_steps",
    ),
    _everywhere(
        "A file that it writes and presents comes with the answer.",
        f"{_STEPS}::test_a_file_that_the_agent_writes_comes_with_the_answer",
        "unit/server/workspace/test_batch.py::test_a_kill_anywhere_leaves_the_old_or_the_new_state",
    ),
    _everywhere(
        "A command is approved, runs in a sandbox, and its files come to the chat: a picture as one.",
        f"{_COMMAND}::test_a_command_is_approved_in_every_chat_and_its_files_come",
        f"{_COMMAND}::test_kill_9_in_the_middle_of_a_command_ends_it_and_it_is_not_run_again",
    ),
    Ability(
        "The model names the conversation, where the platform shows a title.",
        f"{_ACCOUNTS}::test_a_person_signs_in_on_the_page_and_is_served_with_their_account",
        "e2e/built_in/test_titles.py::test_slack_calls_a_thread_as_the_model_does",
        "Slack",
    ),
    Ability(
        "It suggests what to ask next, as buttons.",
        "e2e/built_in/test_suggestions.py::test_on_the_page_they_come_with_the_answer_and_go_with_the_next",
        "e2e/built_in/test_suggestions.py::test_a_press_on_a_platform_asks_one",
        killed="e2e/built_in/test_suggestions_killed.py::test_a_press_is_answered_once",
    ),
)


def table() -> str:
    """One row an ability."""
    rows = ["| Ability | page | platforms | kill -9 |", "|---|:-:|:-:|:-:|"]
    for each in ABILITIES:
        marks = ("✓" if each.page else "–", each.platforms or "–", "✓" if each.killed else "–")
        rows.append(f"| {each.sentence} | {' | '.join(marks)} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    PART.write(table())
