"""What of a channel's settings holds in one conversation."""

from parley.app.settings.core_options import core_options
from parley.core.model.address import Conversation
from parley.core.model.options import BusyPolicy, ChannelOptions, MentionPolicy
from parley.core.model.types import RunMode
from tests.kit.settings_reading import settings


def slack(section: str, top: str = "") -> ChannelOptions:
    """Return the core's options for a section of Slack."""
    tokens = "bot_token: xoxb-1, app_token: xapp-1"
    return core_options(settings(f"{top}\nchannels: {{slack: {{{tokens}, {section}}}}}")).channels["slack"]


def at(options: ChannelOptions, chat: str, topic: str | None = None) -> ChannelOptions:
    return options.at(Conversation("slack", chat, topic))


def test_without_entries_a_place_is_as_its_channel() -> None:
    options = slack("mention: thread")
    assert at(options, "C1") is options


def test_each_key_comes_from_the_narrowest_entry_that_has_it() -> None:
    options = slack(
        "mention: required, chats: {"
        "'*': {mode: wait, session: {context: {tone: brief, model_name: fast}}},"
        "'C1': {mention: never, when_busy: merge, session: {assistant_id: ops}},"
        "'C1:17*': {mention: thread, session: {context: {tone: long}}}}"
    )
    elsewhere, chat, topic = at(options, "D9"), at(options, "C1", "5"), at(options, "C1", "17.5")
    assert (elsewhere.mention, elsewhere.mode) == (MentionPolicy.REQUIRED, RunMode.WAIT)
    assert elsewhere.session.assistant == "agent"
    assert (chat.mention, chat.mode, chat.when_busy) == (MentionPolicy.NEVER, RunMode.WAIT, BusyPolicy.MERGE)
    assert chat.session.context == {"tone": "brief", "model_name": "fast"}
    assert (topic.mention, topic.when_busy) == (MentionPolicy.THREAD, BusyPolicy.MERGE)
    assert (topic.session.assistant, topic.session.context["tone"]) == ("ops", "long")
    assert at(topic, "C2") is topic


def test_of_two_that_are_as_narrow_the_lower_one_wins() -> None:
    options = slack("chats: {'C?1': {mention: never}, 'C1?': {mention: thread}}")
    assert at(options, "C11").mention is MentionPolicy.THREAD


def test_a_chat_comes_before_a_person_and_a_person_in_a_chat_before_it() -> None:
    options = slack(
        "session: {assistant_id: general, users: {U1: {assistant_id: mine, context: {tone: dry}}}},"
        "chats: {C1: {session: {assistant_id: ops, users: {U2: {assistant_id: hers}}}}, C2: {mode: wait}}"
    )
    assert at(options, "D1").session_of("U1").assistant == "mine"
    assert at(options, "C2").session_of("U1").assistant == "mine"
    inside = at(options, "C1")
    assert [inside.session_of(user).assistant for user in ("U1", "U2", "U3")] == ["ops", "hers", "ops"]
    assert inside.session_of("U1").context == {"tone": "dry"}


def test_what_is_worked_out_is_kept_and_bounded(monkeypatch) -> None:
    monkeypatch.setattr("parley.core.model.options._MOST_PLACES", 3)
    options = slack("chats: {'C*': {mention: never}}")
    first = at(options, "C1")
    assert at(options, "C1") is first
    for number in range(10):
        assert at(options, f"C{number}").mention is MentionPolicy.NEVER
    assert at(options, "C1") == first


def test_what_people_may_choose_is_everything_until_a_list_says_less() -> None:
    options = slack(
        "models: ['gpt*'], chats: {C1: {assistants: ['ops*', 'Legal Desk'], models: []}}",
        "agent: {assistants: [a]}",
    )
    chat = at(options, "C1")
    assert [options.offers_assistant(name) for name in ("a", "b")] == [True, False]
    assert [options.offers_model(name) for name in ("GPT-5", "other")] == [True, False]
    assert [chat.offers_assistant(name) for name in ("ops2", "a")] == [True, False]
    assert chat.offers_assistant("id-1", "legal desk")
    assert not chat.offers_model("gpt-5")
    assert slack("mention: never").offers_assistant("anything")
