"""What a good configuration means."""

from pathlib import Path

import pytest

from parley.app.settings.core_options import core_options
from parley.app.settings.load import load_settings
from parley.app.settings.parsing.dotenv import with_dotenv
from parley.core.model.errors import ConfigError
from parley.core.model.limits import LimitCaps
from parley.core.model.options import BusyPolicy, EditPolicy
from parley.core.model.types import JsonObject, RunMode, SessionSettings
from parley.core.model.usage import TokenPrice
from tests.kit.checkout import ROOT, SHIPPED
from tests.kit.settings_reading import mistakes, settings


def test_the_shipped_file_says_what_the_defaults_are():
    shipped, bare = load_settings(SHIPPED, {}, ROOT), settings("")
    assert shipped.settings.model_dump() == bare.settings.model_dump()
    assert core_options(shipped) == core_options(bare)


def test_with_nothing_set_only_the_web_chat_is_on():
    loaded = settings("")
    assert list(loaded.channels) == ["web"]
    assert loaded.plans["telegram"].off == "no bot_token"


def test_unset_credentials_switch_a_channel_off_and_say_which():
    loaded = settings("channels: {telegram: {bot_token: $BOT, allowed_users: [7]}}")
    assert loaded.plans["telegram"].off == "$BOT is not set"


def test_set_credentials_switch_a_channel_on():
    loaded = settings("channels: {telegram: {bot_token: $BOT}}", BOT="123:abc")
    assert list(loaded.channels) == ["telegram", "web"]


def test_a_channel_can_be_switched_off_with_its_credentials_in_place():
    loaded = settings("channels: {telegram: {bot_token: x, enabled: false}}")
    assert loaded.plans["telegram"].off == "enabled is false"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("$NAME", "Ada"),
        ("${NAME}", "Ada"),
        ("Dr ${NAME}x", "Dr Adax"),
        ("${NONE:-nobody}", "nobody"),
        ("${NONE:-}!", "!"),
        ("${NAME:-nobody}", "Ada"),
        ("$$NAME", "$NAME"),
        ("5$", "5$"),
    ],
)
def test_variables_take_their_values_from_the_environment(written, read):
    assert settings(f'session: {{context: {{who: "{written}"}}}}', NAME="Ada").settings.session.context == {
        "who": read
    }


def test_a_variable_can_stand_for_a_number():
    assert settings("console: {port: $PORT}", PORT="9000").settings.console.port == 9000


def test_a_key_without_a_value_has_its_default():
    assert settings("manager:\nagent:\n  mode:\n").settings.agent.mode == "stream"


def test_ids_written_as_numbers_are_texts():
    text = "channels: {telegram: {allowed_users: [7, '8'], session: {users: {9: {assistant_id: x}}}}}"
    config = settings(text).plans["telegram"].config
    assert config.allowed_users == ("7", "8")
    assert list(config.session.users) == ["9"]


def test_data_lies_beside_the_configuration():
    assert settings("").data_dir == Path("/home/ada/data")
    assert settings("data_dir: /var/lib/parley").data_dir == Path("/var/lib/parley")


def test_a_size_may_have_a_unit():
    assert core_options(settings("manager: {max_file: 1.5 MB}")).max_file == 1_500_000


def test_a_narrower_session_wins_key_by_key():
    text = """\
    agent: {assistant: base}
    session: {context: {a: 1, b: 1, c: 1}, config: {tags: [all]}}
    channels:
      web:
        session:
          assistant_id: chat
          context: {b: 2, c: 2}
          users:
            ada: {context: {c: 3}, assistant_id: own}
    """
    web = core_options(settings(text)).channels["web"]
    tags: JsonObject = {"tags": ["all"]}
    assert web.session == SessionSettings("chat", tags, {"a": 1, "b": 2, "c": 2}, speakers=True)
    own = SessionSettings("own", tags, {"a": 1, "b": 2, "c": 3}, speakers=True)
    assert web.user_sessions == {"ada": own}


def test_a_narrower_input_takes_the_place_of_a_broader_one() -> None:
    web = core_options(
        settings(
            "session: {input: {question: '{text}', k: 3}, output: answer}\n"
            "channels: {web: {session: {input: {topic: '{text}'}, users: {ada: {output: report}}}}}"
        )
    ).channels["web"]
    assert (web.session.input, web.session.output) == ({"topic": "{text}"}, "answer")
    ada = web.user_sessions["ada"]
    assert (ada.input, ada.output) == ({"topic": "{text}"}, "report")


def test_without_any_session_the_agents_assistant_answers():
    session = core_options(settings("agent: {assistant: base}")).channels["web"].session
    assert session == SessionSettings("base", speakers=True)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", True),
        ("agent: {url: 'http://agent.example'}", False),
        ("agent: {graphs: {agent: 'mine.py:graph'}}", False),
        ("agent: {url: 'http://agent.example'}\nsession: {speakers: true}", True),
        ("session: {speakers: true}\nchannels: {web: {session: {speakers: false}}}", False),
    ],
)
def test_speakers_are_named_to_the_built_in_agent_and_where_it_is_set(text, named):
    assert core_options(settings(text)).channels["web"].session.speakers is named


def test_a_channels_own_mode_and_language_win():
    text = (
        "agent: {mode: wait}\nlanguage: zh\nchannels: {telegram: {bot_token: x, mode: stream, language: en}}"
    )
    channels = core_options(settings(text)).channels
    assert (channels["web"].mode, channels["web"].language) == (RunMode.WAIT, "zh")
    assert (channels["telegram"].mode, channels["telegram"].language) == (RunMode.STREAM, "en")


def test_a_channels_own_way_of_being_busy_wins():
    text = "agent: {when_busy: merge}\nchannels: {telegram: {bot_token: x, when_busy: reject}}"
    channels = core_options(settings(text)).channels
    assert channels["web"].when_busy is BusyPolicy.MERGE
    assert channels["telegram"].when_busy is BusyPolicy.REJECT
    assert core_options(settings("")).channels["web"].when_busy is BusyPolicy.QUEUE


def test_a_channels_own_way_with_edits_wins():
    text = "agent: {on_edit: rerun}\nchannels: {telegram: {bot_token: x, on_edit: ignore}}"
    channels = core_options(settings(text)).channels
    assert channels["web"].on_edit is EditPolicy.RERUN
    assert channels["telegram"].on_edit is EditPolicy.IGNORE
    assert core_options(settings("")).channels["web"].on_edit is EditPolicy.IGNORE


def test_how_a_backlog_is_worked_off_is_told_to_the_core():
    options = core_options(settings("manager: {backlog_rate: 5, max_message_age: 0}"))
    assert (options.backlog_rate, options.max_message_age) == (5, 0)
    usual = core_options(settings(""))
    assert (usual.backlog_rate, usual.max_message_age) == (50, 3600)


def test_two_variables_are_not_set():
    text = "channels: {slack: {bot_token: $BOT, app_token: $APP}}"
    assert settings(text).plans["slack"].off == "$BOT and $APP are not set"


def test_how_long_a_run_may_take_is_told_to_the_core():
    options = core_options(settings("agent: {timeout: 90, still_working_after: 0}"))
    assert (options.timeout, options.still_working_after) == (90, 0)
    assert (core_options(settings("")).timeout, core_options(settings("")).still_working_after) == (0, 60)


def test_the_embedded_model_is_one_of_the_choices():
    assert settings("agent: {model: a:b, models: [c:d]}").settings.agent.choices == ("a:b", "c:d")


def test_no_file_means_the_defaults(tmp_path):
    loaded = load_settings(None, {}, tmp_path)
    assert loaded.settings == settings("").settings
    assert loaded.data_dir == tmp_path / "data"


def test_a_named_file_must_exist(tmp_path):
    with pytest.raises(ConfigError, match=r"^other.yaml: no such file"):
        load_settings(Path("other.yaml"), {}, tmp_path)


def test_a_file_that_is_not_text_is_refused_in_one_line(tmp_path):
    (tmp_path / "config.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match=r"^config.yaml: cannot be read: it is not UTF-8 text$"):
        load_settings(None, {}, tmp_path)


def test_the_environment_wins_over_dotenv(tmp_path):
    (tmp_path / ".env").write_text("A=file\nB=file\nC=\n")
    assert with_dotenv({"A": "shell"}, tmp_path / ".env") == {"A": "shell", "B": "file"}


def test_no_dotenv_is_no_mistake(tmp_path):
    assert with_dotenv({"A": "shell"}, tmp_path / ".env") == {"A": "shell"}


def test_a_mistake_in_a_channel_that_is_off_is_still_one():
    assert len(mistakes("channels: {telegram: {bot_token: $BOT, mention: x}}")) == 1


def test_limits_reach_the_core_in_its_own_units():
    loaded = settings("""
        limits:
          person: {turns_per_minute: 6, cost_per_day: 2.5}
          channel: {tokens_per_day: 1000000}
          time_zone: Asia/Shanghai
          currency: CNY
          prices: {"qwen*": {input: 2, output: 8}}
    """)
    limits = core_options(loaded).limits
    assert limits.person == LimitCaps(turns_per_minute=6, cost_per_day=2_500_000)
    assert (limits.chat, limits.channel) == (LimitCaps(), LimitCaps(tokens_per_day=1_000_000))
    assert (str(limits.zone), limits.currency) == ("Asia/Shanghai", "CNY")
    assert limits.prices == {"qwen*": TokenPrice(2.0, 8.0)}


def test_nothing_is_limited_unless_it_is_said():
    assert not core_options(settings("")).limits.limited


def test_the_names_of_the_console_are_names_alone():
    assert settings("console: {names: [Chat.Example]}").settings.console.names == ("chat.example",)
    for name in ("https://chat.example", "chat.example:443", "chat.example/x"):
        assert "a name alone" in mistakes(f"console: {{names: ['{name}']}}")[0]
