"""The first set-up, step by step, against a platform that is strict: nothing is kept that does not work."""

import asyncio
import logging
from contextlib import ExitStack

import pytest

from parley.app.process.logs import configure_logging, hide_secrets
from parley.app.process.recent_lines import recent_lines
from parley.app.process.stop_request import StopRequest
from parley.app.settings.load import load_settings, read_settings
from parley.app.settings.parsing.dotenv import with_dotenv
from parley.app.setup.draft import Draft
from parley.app.setup.first_run import offers_setup
from parley.app.setup.guides import read_guide
from parley.app.setup.session import SetupSession
from parley.console.api.setup import SetupAgentBody
from parley.console.api.setup_state import SetupAgent
from parley.core.model.errors import ConfigError, ParleyError
from parley.simulator.dingtalk import DingTalkSimulator
from parley.simulator.dingtalk.operator import DingTalkOperator
from parley.simulator.telegram import TelegramSimulator
from parley.simulator.telegram.operator import TelegramOperator
from tests.kit.waiting import until


@pytest.fixture
def telegram():
    with TelegramSimulator() as running:
        yield running


class Restarts:
    """Takes the messages that wait at each restart."""

    def __init__(self):
        self.messages = []

    def __call__(self, messages):
        self.messages.append(list(messages))


@pytest.fixture
def restarts():
    return Restarts()


@pytest.fixture
def session(tmp_path, restarts):
    return SetupSession(lambda: Draft.open(tmp_path / "config.yaml", {}), restarts)


def platform(session, name):
    return next(each for each in session.state("en").platforms if each.name == name)


async def shows(session, condition):
    await until(lambda: condition(session.state("en")), "the page shows it")


async def test_a_token_that_the_platform_refuses_is_not_kept(session, telegram, tmp_path):
    with pytest.raises(ParleyError):
        await session.try_channel("telegram", {"bot_token": "1:wrong"}, telegram.api_url)
    with pytest.raises(ConfigError, match="TELEGRAM_BOT_TOKEN"):
        await session.try_channel("telegram", {}, telegram.api_url)
    with pytest.raises(ConfigError, match="no platform"):
        await session.try_channel("irc", {}, "")
    assert not platform(session, "telegram").accepted
    assert session.state("en").changes == (f"+ {tmp_path / 'config.yaml'}",)


async def test_what_works_is_written_once_and_started_with_the_messages(
    session, telegram, tmp_path, restarts
):
    olga = TelegramOperator(telegram)
    await session.try_channel("telegram", {"bot_token": telegram.token}, telegram.api_url)
    await session.begin_wait("telegram")
    await shows(session, lambda state: state.wait and state.wait.ready)
    olga.say("hello")
    await shows(session, lambda state: state.wait and state.wait.user)
    assert session.state("en").wait.text == "hello"
    await session.confirm_admin(True)
    assert platform(session, "telegram").admin == "Olga"
    assert telegram.token not in repr(session.state("en"))
    await session.try_agent(SetupAgentBody(kind="demonstration"))
    assert list(tmp_path.iterdir()) == []
    await session.write()
    assert [[each.text for each in messages] for messages in restarts.messages] == [["hello"]]
    written = load_settings(None, with_dotenv({}, tmp_path / ".env"), tmp_path)
    assert written.channels["telegram"].admins == (str(olga._me.id),)
    assert [path.stat().st_mode & 0o777 for path in sorted(tmp_path.iterdir())] == [0o600, 0o600]
    with pytest.raises(ParleyError, match="written already"):
        await session.write()


async def test_somebody_elses_message_makes_nobody_an_administrator(session, telegram):
    await session.try_channel("telegram", {"bot_token": telegram.token}, telegram.api_url)
    with pytest.raises(ParleyError, match="Nobody"):
        await session.confirm_admin(True)
    await session.begin_wait("telegram")
    await shows(session, lambda state: state.wait and state.wait.ready)
    TelegramOperator(telegram).say("me!")
    await shows(session, lambda state: state.wait and state.wait.user)
    await session.confirm_admin(False)
    await shows(session, lambda state: state.wait and state.wait.ready and not state.wait.user)
    await session.end_waiting()
    assert (session.state("en").wait, platform(session, "telegram").admin) == (None, "")


async def test_an_agent_that_does_not_answer_is_not_kept(session):
    with pytest.raises(ParleyError):
        await session.try_agent(SetupAgentBody(kind="server", url="http://127.0.0.1:9"))
    with pytest.raises(ParleyError, match="provider:name"):
        await session.try_agent(SetupAgentBody(kind="model", name="nonsense"))
    assert session.state("en").agent is None


async def test_a_graph_of_another_name_than_agent_is_offered_and_asked(session, tmp_path):
    (tmp_path / "langgraph.json").write_text('{"graphs": {"weather": "./weather.py:graph"}}')
    (tmp_path / "weather.py").write_text(
        "from langgraph.graph import START, MessagesState, StateGraph\n"
        "made = StateGraph(MessagesState)\n"
        "made.add_node('n', lambda state: {'messages': [('assistant', 'sunny')]})\n"
        "graph = made.add_edge(START, 'n').compile()\n"
    )
    assert session.state("en").agents[0] == SetupAgent("project", "weather")
    await session.try_agent(SetupAgentBody(kind="project", name="weather"))
    assert "sunny" in session.state("en").agent_answer


async def test_a_scan_that_is_ended_leaves_nothing_and_one_that_succeeds_keeps_the_app(session):
    with ExitStack() as stack:
        sim = stack.enter_context(DingTalkSimulator())
        await session.begin_scan("dingtalk", sim.url)
        await shows(session, lambda state: state.scan and state.scan.rows)
        await session.end_waiting()
        assert (session.state("en").scan, platform(session, "dingtalk").accepted) == (None, False)
        await session.begin_scan("dingtalk", sim.url)
        await shows(session, lambda state: state.scan and state.scan.url)
        person = DingTalkOperator(sim)._me
        await asyncio.to_thread(sim.scanning.scan, session.state("en").scan.url, person.id)
        await shows(session, lambda state: not state.scan)
        assert platform(session, "dingtalk").connected
        assert session.state("en").problem == ""
        await session.forget()
        assert not platform(session, "dingtalk").accepted


async def test_a_platform_without_a_qr_code_says_so(session):
    with pytest.raises(ConfigError):
        await session.begin_scan("telegram", "")
    with pytest.raises(ConfigError, match="not set up yet"):
        await session.begin_wait("telegram")


def test_what_is_pasted_is_kept_out_of_the_log():
    configure_logging("info", frozenset({"first-secret"}))
    hide_secrets(frozenset({"pasted-secret"}))
    logging.getLogger("parley.test").info("first-secret pasted-secret")
    assert recent_lines()[-1].endswith("*** ***")


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("{}", True),
        ("agent: {model: 'openai:gpt-5-mini', model_api_key: k}", False),
        ("channels: {telegram: {bot_token: '1:x'}}", False),
        ("channels: {web: {enabled: false}}", False),
        ("console: {host: 0.0.0.0, token: long-enough-to-be-one}", False),
    ],
)
def test_only_a_new_parley_that_its_own_machine_reaches_offers_the_set_up(text, offered, tmp_path):
    assert offers_setup(read_settings(text, "config.yaml", {}, tmp_path)) is offered


def test_a_channel_of_others_with_one_language_is_told_in_that(tmp_path, monkeypatch):
    for name, text in {
        "guide_fr": "fr: {steps: [Bonjour], greet: Salut}",
        "guide_short": "en: {greet: Hello}",
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
        (tmp_path / name / "setup_guide.yaml").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("parley.app.setup.guides.channel_package", lambda name: name)
    assert read_guide("guide_fr", "zh").steps == ("Bonjour",)
    assert (read_guide("guide_short", "zh").greet, read_guide("guide_short", "zh").steps) == ("Hello", ())


def test_a_stop_for_good_is_not_undone_by_a_restart():
    stop = StopRequest()
    stop.restart()
    first = stop.event
    assert (first.is_set(), stop.renew(), stop.event.is_set()) == (True, True, False)
    stop.restart()
    stop.end()
    assert (stop.renew(), stop.event.is_set(), stop.ended) == (False, True, True)
