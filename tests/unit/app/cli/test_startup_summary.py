"""What `parley check` says would start."""

import pytest

from parley.app.cli.startup_summary import memory_line, summarise_routes
from tests.kit.settings_reading import settings

RULES = "simple rules learn, from few plain sentences"
TOKENS = "bot_token: xoxb-1, app_token: xapp-1"


def test_each_entry_of_chats_is_a_line_and_so_are_all_others() -> None:
    loaded = settings(
        f"""
        channels:
          slack:
            {{{TOKENS}, unrouted: refuse, session: {{assistant_id: desk}}, chats: {{
              C0123: {{mention: never, session: {{assistant_id: ops, context: {{a: 1}}}}}},
              "C0123:17*": {{when_busy: merge, allowed_users: [U1, U2], bots: [],
                            triggers: [{{authors: A1}}]}},
              "D*": {{}}}}}}
        """
    )
    assert list(summarise_routes(loaded)) == [
        "  slack C0123      assistant ops, mention never, session.context",
        "  slack C0123:17*  allowed_users U1, U2, bots none, triggers 1, when_busy merge",
        "  slack D*         as the channel",
        "  slack others     assistant desk, mention required; groups: refuse",
    ]


def test_without_entries_nothing_is_said() -> None:
    assert list(summarise_routes(settings(f"channels: {{slack: {{{TOKENS}}}}}"))) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("memory: {enabled: false}", "off"),
        ("", f"{RULES} (write memory.model_name for more)"),
        (
            "agent: {url: 'http://127.0.0.1:9'}",
            f"{RULES} (write memory.model_name or memory.assistant for more)",
        ),
        ("memory: {model_name: 'openai:a'}", "the model openai:a learns"),
        ("agent: {model: 'ollama:b'}", "the model ollama:b learns"),
        (
            "agent: {url: 'http://127.0.0.1:9', model: 'ollama:b'}\nmemory: {assistant: c}",
            "the assistant c learns",
        ),
    ],
)
def test_it_says_who_learns(text: str, line: str) -> None:
    assert memory_line(settings(text).settings) == line
