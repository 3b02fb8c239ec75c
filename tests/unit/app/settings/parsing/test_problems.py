"""Every mistake in a configuration gets one line: where, what, and what to write instead."""

import pytest

from tests.kit.settings_reading import mistakes

TOO_MUCH = "cannot be read (tag:yaml.org,2002:int); put it in quotes"
ONE_LINE = [
    pytest.param(
        'store: "a\\n\\e[2Jb"',
        'config.yaml:1: store: must be a section of "key: value" lines, not "a\\n\\x1b[2Jb"',
        id="line breaks in what is quoted",
    ),
    pytest.param(
        "- " * 2_000,
        "config.yaml:1: sections stand more than 50 deep within each other; indent less",
        id="nested too deeply",
    ),
    pytest.param(
        "agent: {timeout: 0x" + "f" * 5_000 + "}",
        f"config.yaml:1: agent.timeout: {TOO_MUCH}",
        id="a number without an end",
    ),
    pytest.param(
        "agent: {timeout: " + "9:" * 3_000 + "9}",
        f"config.yaml:1: agent.timeout: {TOO_MUCH}",
        id="a number in base sixty without an end",
    ),
    pytest.param(
        "agent: {timeout: !!timestamp abc}",
        "config.yaml:1: agent.timeout: cannot be read (tag:yaml.org,2002:timestamp); put it in quotes",
        id="no time",
    ),
    pytest.param(
        "agent: {images: !!bool abc}",
        "config.yaml:1: agent.images: cannot be read (tag:yaml.org,2002:bool); put it in quotes",
        id="no bool",
    ),
    pytest.param(
        "data_dir: ~nobody-of-this-name/a",
        "config.yaml:1: data_dir: nobody of that name has a folder here; write it out",
        id="nobody's folder",
    ),
    pytest.param(
        "agent:\n  asistant: x",
        'config.yaml:2: agent.asistant: unknown key; did you mean "assistant"?',
        id="unknown key, near a known one",
    ),
    pytest.param(
        "session:\n  zzz: 1",
        "config.yaml:2: session.zzz: unknown key; "
        "known here: assistant_id, config, context, input, output, speakers",
        id="unknown key, near nothing",
    ),
    pytest.param(
        "channels:\n  telegran: {}",
        'config.yaml:2: channels.telegran: unknown key; did you mean "telegram"?',
        id="unknown channel",
    ),
    pytest.param(
        "channels:\n  web:\n    session:\n      users:\n        ada: {asistant_id: x}",
        "config.yaml:5: channels.web.session.users.ada.asistant_id: "
        'unknown key; did you mean "assistant_id"?',
        id="unknown key deep down",
    ),
    pytest.param(
        "langgraph_url: http://x",
        'config.yaml:1: langgraph_url: lives at agent.url: write "url:" under "agent:"',
        id="moved key",
    ),
    pytest.param(
        "channels:\n  langgraph_url: http://x",
        'config.yaml:2: channels.langgraph_url: lives at agent.url: write "url:" under "agent:"',
        id="moved key of the channels",
    ),
    pytest.param(
        "channels:\n  web: {token: abcdefghijklmnop}",
        'config.yaml:2: channels.web.token: lives at console.token: write "token:" under "console:"',
        id="moved key that a section would take",
    ),
    pytest.param(
        "manager:\n  max_turns: many",
        'config.yaml:2: manager.max_turns: must be a whole number, such as "100", not "many"',
        id="text for a number",
    ),
    pytest.param(
        "manager:\n  max_turns: 0",
        "config.yaml:2: manager.max_turns: must be at least 1, not 0",
        id="number out of bounds",
    ),
    pytest.param(
        "manager:\n  max_file: big",
        'config.yaml:2: manager.max_file: must be a size, such as "20 MB"',
        id="no size",
    ),
    pytest.param(
        "agent:\n  assistant: 7",
        "config.yaml:2: agent.assistant: must be text; put it in quotes",
        id="number for text",
    ),
    pytest.param(
        "agent:\n  models: fast",
        'config.yaml:2: agent.models: must be a list, such as [a, b], not "fast"',
        id="text for a list",
    ),
    pytest.param(
        "agent: fast",
        'config.yaml:1: agent: must be a section of "key: value" lines, not "fast"',
        id="text for a section",
    ),
    pytest.param(
        "channels: [web]",
        'config.yaml:1: channels: must be a section of "name:" lines',
        id="list of channels",
    ),
    pytest.param(
        "channels:\n  web:\n    enabled: perhaps",
        'config.yaml:3: channels.web.enabled: must be true or false, not "perhaps"',
        id="neither true nor false",
    ),
    pytest.param(
        "agent:\n  mode: fast",
        'config.yaml:2: agent.mode: must be one of "stream" or "wait", not "fast"',
        id="not one of the choices",
    ),
    pytest.param(
        "agent:\n  url: localhost:2024",
        'config.yaml:2: agent.url: must be "embedded" or start with http:// or https://, '
        'not "localhost:2024"',
        id="address without a scheme",
    ),
    pytest.param(
        "agent:\n  graphs: {agent: graph.py}",
        'config.yaml:2: agent.graphs: agent must be "file.py:name" or "module:name", not "graph.py"',
        id="graph without a name",
    ),
    pytest.param(
        "agent:\n  graphs: {mine: graph.py:graph}",
        "config.yaml:1: agent: assistant must be one of the graphs (mine), not agent",
        id="assistant that no graph is",
    ),
    pytest.param(
        "console:\n  host: 0.0.0.0",
        'config.yaml:1: console: others can reach "0.0.0.0", so a token is needed: '
        'add "token: $CONSOLE_TOKEN" here, or use host: 127.0.0.1',
        id="open host without a token",
    ),
    pytest.param(
        "console:\n  token: short",
        "config.yaml:2: console.token: is shorter than 12 characters and can be guessed; "
        "use the output of: openssl rand -hex 24",
        id="short token",
    ),
    pytest.param(
        "agent:\n  api_key: $AGENT_KEY",
        "config.yaml:2: agent.api_key: $AGENT_KEY is not set; write AGENT_KEY=... in .env, "
        "or $$ for a plain dollar sign",
        id="unset variable",
    ),
    pytest.param(
        'agent:\n  headers: {Authorization: "Bearer ${AGENT_KEY}"}',
        "config.yaml:2: agent.headers.Authorization: $AGENT_KEY is not set; write AGENT_KEY=... in .env, "
        "or $$ for a plain dollar sign",
        id="unset variable inside a text",
    ),
    pytest.param(
        "channels:\n  telegram:\n    enabled: true\n    bot_token: $BOT",
        "config.yaml:4: channels.telegram.bot_token: $BOT is not set; write BOT=... in .env, "
        "or $$ for a plain dollar sign",
        id="unset credentials of a channel that must be on",
    ),
    pytest.param(
        "channels:\n  telegram:\n    enabled: true",
        "config.yaml:2: channels.telegram.bot_token: is needed because telegram is on; "
        "add it, or remove enabled: true",
        id="no credentials for a channel that must be on",
    ),
    pytest.param(
        "limits:\n  person: {turns_per_hour: 5}",
        'config.yaml:2: limits.person.turns_per_hour: unknown key; did you mean "turns_per_day"?',
        id="unknown limit",
    ),
    pytest.param(
        "limits:\n  chat:\n    tokens_per_day: -1",
        "config.yaml:3: limits.chat.tokens_per_day: must be at least 0, not -1",
        id="limit below nothing",
    ),
    pytest.param(
        "limits:\n  channel: {cost_per_day: 5}",
        "config.yaml:1: limits: channel.cost_per_day needs prices to count by; write under limits: "
        'prices: {"gpt-5-mini*": {input: 0.25, output: 2}}',
        id="limit on costs without prices",
    ),
    pytest.param(
        "limits:\n  prices:\n    small: {input: 1}",
        "config.yaml:3: limits.prices.small.output: is needed; add it",
        id="half a price",
    ),
    pytest.param(
        "limits:\n  time_zone: Mars/Olympus",
        "config.yaml:2: limits.time_zone: must be UTC or the name of a time zone, such as Europe/Berlin, "
        'not "Mars/Olympus"',
        id="no time zone",
    ),
    pytest.param(
        "limits:\n  warn_at: 80",
        "config.yaml:2: limits.warn_at: must be at most 1.0, not 80",
        id="a share in percent",
    ),
    pytest.param(
        "agent:\n  url: embedded\n  mode: wait\n  url: http://x",
        "config.yaml:4: agent.url: is here twice (first in line 2); keep one",
        id="key twice",
    ),
    pytest.param(
        "agent:\n  models: [a, b",
        "config.yaml:3: not valid YAML (column 1): the file ends inside a bracket or a quoted text; close it",
        id="bracket not closed",
    ),
    pytest.param(
        "agent:\n  url: a: b",
        'config.yaml:2: not valid YAML (column 9): a ":" where none may be; check the indentation, '
        "or put the value in quotes",
        id="colon in a value",
    ),
    pytest.param(
        "agent:\n\turl: embedded",
        "config.yaml:2: not valid YAML (column 1): a tab is used for indentation; use spaces",
        id="tab",
    ),
    pytest.param("- agent", 'config.yaml:1: must be "key: value" lines', id="a list"),
    pytest.param(
        "agent: &a\n  headers: *a",
        "config.yaml:2: agent.headers: refers to itself; write the value out",
        id="endless alias",
    ),
]


@pytest.mark.parametrize(("text", "line"), ONE_LINE)
def test_a_mistake_is_one_line(text, line):
    if text.endswith("[a, b"):
        text += "\n"
    assert mistakes(text) == [line]


def test_all_mistakes_are_listed_at_once_in_the_order_of_the_file():
    text = """\
    langauge: en
    agent:
      mode: fast
      mode: wait
    channels:
      telegram: {mention: sometimes}
    console: {port: -1}
    """
    assert [line.split(": ")[1] for line in mistakes(text)] == [
        "langauge",
        "agent.mode",
        "agent.mode",
        "channels.telegram.mention",
        "console.port",
    ]


def test_a_value_that_may_be_secret_is_not_repeated():
    assert "4242" not in "".join(mistakes("channels:\n  telegram: {bot_token: 4242}"))
