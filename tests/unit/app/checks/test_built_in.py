"""Mistakes in the built-in agent's section are named with their line."""

import pytest

from parley.app.checks.findings import check_settings
from parley.app.doctor.agent import ask_agent
from parley.app.settings.load import read_settings

AGENT = "agent: {model: 'openai:a', model_api_key: k, models: ['openai:b']}\n"


def found(text, folder):
    return check_settings(read_settings(text, "config.yaml", {}, folder))


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("fallbacks: ['openai:c']", '"openai:c" is not in agent.models; write it there, too'),
        ("suggestions: 'openai:c'", '"openai:c" is not in agent.models; write it there, too'),
        ("mcp: {file: none.json}", "cannot be read: No such file or directory; write it, or remove the key"),
        ("skills: {enabled: [none]}", "/skills: No such file or directory; install it with `parley skills"),
        ("skills: {enabled: ['../x']}", "is no name of a skill"),
        (
            "subagents: {enabled: true, agents: {a: {description: x, model: 'openai:c'}}}",
            '"openai:c" is not in agent.models',
        ),
        ("prompt_file: none.md", "cannot be read: No such file or directory; write it, or remove the key"),
    ],
)
def test_a_mistake_is_named(tmp_path, section, words):
    (mistake,) = found(f"{AGENT}built_in:\n  {section}\n", tmp_path).mistakes
    assert words in mistake.text
    assert mistake.line == 3


@pytest.mark.parametrize(
    "section", ["mcp: {file: none.json}", "skills: {enabled: [x]}", "prompt_file: none.md"]
)
async def test_what_opening_the_agent_finds_too_is_one_mistake(tmp_path, section):
    loaded = read_settings(f"{AGENT}built_in:\n  {section}\n", "config.yaml", {}, tmp_path)
    both = check_settings(loaded) + await ask_agent(loaded, makes_a_run=False)
    assert len(both.mistakes) == 1, both.mistakes


def test_what_is_right_is_not_spoken_of(tmp_path):
    (tmp_path / "prompt.md").write_text("Be kind.")
    right = f"{AGENT}built_in: {{prompt_file: prompt.md, fallbacks: ['openai:b'], summarize_at: 0.5}}\n"
    assert found(right, tmp_path).mistakes == ()
    assert found(right, tmp_path).remarks == ()


def test_without_a_model_the_section_does_nothing(tmp_path):
    (remark,) = found("built_in: {context_window: 4000}\n", tmp_path).remarks
    assert "does nothing" in remark.text
    assert "agent.model" in remark.text


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("", "at http://127.0.0.1:8765, which only a browser on this machine reaches"),
        (", public_url: 'https://localhost'", "which only a browser on this machine reaches"),
        (", public_url: 'http://parley.example.com'", "crosses the Internet in plain text"),
        (", public_url: 'http://8.8.8.8:80'", "crosses the Internet in plain text"),
        (", public_url: 'https://parley.example.com'", ""),
        (", public_url: 'http://10.0.0.2:8765'", ""),
        (", public_url: 'http://parley.internal'", ""),
    ],
)
def test_an_address_where_people_cannot_sign_in_is_remarked(tmp_path, more, words):
    (tmp_path / "mcp.json").write_text(
        '{"mcpServers": {"desk": {"url": "https://d.test/mcp", "oauth": true}, "open": {"url": "https://o.test"}}}'
    )
    seen = found(f"{AGENT}built_in:\n  mcp: {{file: mcp.json{more}}}\n", tmp_path)
    assert seen.mistakes == ()
    assert [(words in each.text, each.line) for each in seen.remarks] == ([(True, 3)] if words else [])
    for each in seen.remarks:
        assert each.text.startswith("people sign in to desk at ")
        assert each.text.endswith("as mcp.public_url")


def test_without_a_server_that_people_sign_in_to_no_address_is_needed(tmp_path):
    (tmp_path / "mcp.json").write_text('{"mcpServers": {"open": {"url": "https://o.test/mcp"}}}')
    assert found(f"{AGENT}built_in: {{mcp: {{file: mcp.json}}}}\n", tmp_path).remarks == ()
