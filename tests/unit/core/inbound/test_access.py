"""The table of docs/access.md, cell by cell, with the options that each platform's configuration gives."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.app.settings.core_options import core_options
from parley.channels.dingtalk.inbound.inbound_queue import parse_or_skip
from parley.channels.dingtalk.inbound.message_parser import ParseOptions
from parley.channels.slack.inbound.membership import MembershipFilter
from parley.channels.slack.users import UNKNOWN, SlackBotIdentity, SlackUser, SlackUserCache
from parley.core.inbound.access import AccessVerdict, decide_access, may_talk
from parley.core.model.address import Conversation, User, account_key
from parley.core.model.attachments import Attachment, AttachmentKind
from parley.core.model.options import ChannelOptions, ChatOptions, MentionPolicy
from parley.core.model.types import InboundMessage, SessionSettings
from tests.kit.settings_reading import settings

KINDS = {
    "web": "",
    "telegram": "bot_token: '1:a', ",
    "slack": "bot_token: xoxb-1, app_token: xapp-1, ",
    "feishu": "app_id: a, app_secret: b, ",
    "dingtalk": "client_id: a, client_secret: b, ",
}

# Who writes, by what the channel knows of them, against where and how.
PEOPLE = ("everyone", "listed", "admin", "paired", "stranger", "asks to pair")
PLACES = ("private", "group, called", "group, our topic", "group, another topic", "group")

FOR_US = {
    "required": {"group, called"},
    "thread": {"group, called", "group, our topic"},
    "never": {"group, called", "group, our topic", "group, another topic", "group"},
}
CHAT = Conversation("test", "chat")
LET_IN = {  # with pairing, without it
    "everyone": (True, True),
    "listed": (True, True),
    "admin": (True, True),
    "paired": (True, False),
    "stranger": (False, False),
    "asks to pair": (False, False),
}
TURNED_AWAY = {
    "paired": (AccessVerdict.REFUSE, AccessVerdict.REFUSE),
    "stranger": (AccessVerdict.REFUSE, AccessVerdict.REFUSE),
    "asks to pair": (AccessVerdict.PAIR, AccessVerdict.REFUSE),
}


def configured(kind: str, section: str = "") -> ChannelOptions:
    """The core's options as the configuration of a platform makes them."""
    given_ = f"{KINDS[kind]}{section}".rstrip(", ")
    return core_options(settings(f"channels: {{{kind}: {{{given_}}}}}")).channels[kind]


def said(kind: str, who: str, place: str, text: str = "") -> InboundMessage:
    private, called = place == "private", place in ("private", "group, called")
    topic = "7" if "topic" in place else None
    return InboundMessage(
        id="1",
        conversation=Conversation(kind, "chat", topic),
        sender=User(kind, who),
        text=text or ("/pair" if who == "asks to pair" else "hello"),
        addressed=called,
        private=private,
        sent_at=0.0,
    )


def expected(who: str, place: str, mention: str, pairing: bool) -> AccessVerdict:
    column = 0 if pairing else 1
    if place != "private":
        heard = place in FOR_US[mention]
        return AccessVerdict.ALLOW if heard and LET_IN[who][column] else AccessVerdict.IGNORE
    return AccessVerdict.ALLOW if LET_IN[who][column] else TURNED_AWAY[who][column]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pairing", [True, False])
@pytest.mark.parametrize("mention", FOR_US)
def test_every_cell(kind: str, pairing: bool, mention: str) -> None:
    rest = f"admins: [admin], mention: {mention}, pairing: {str(pairing).lower()}"
    some, everyone = (configured(kind, f"allowed_users: [{who}], {rest}") for who in ("listed", "'*'"))
    for who, place in product(PEOPLE, PLACES):
        verdict = decide_access(
            everyone if who == "everyone" else some,
            said(kind, who, place),
            ours=place == "group, our topic",
            paired=frozenset({f"{kind}:paired"}),
        )
        assert verdict is expected(who, place, mention, pairing), (who, place)


@pytest.mark.parametrize(
    ("kind", "stranger", "asking"),
    [
        ("web", AccessVerdict.ALLOW, AccessVerdict.ALLOW),
        ("telegram", AccessVerdict.REFUSE, AccessVerdict.PAIR),
        ("slack", AccessVerdict.ALLOW, AccessVerdict.ALLOW),
        ("feishu", AccessVerdict.ALLOW, AccessVerdict.ALLOW),
        ("dingtalk", AccessVerdict.ALLOW, AccessVerdict.ALLOW),
    ],
)
def test_what_holds_when_nothing_is_configured(
    kind: str, stranger: AccessVerdict, asking: AccessVerdict
) -> None:
    options = configured(kind)
    assert decide_access(options, said(kind, "whoever", "private")) is stranger
    assert decide_access(options, said(kind, "whoever", "private", "/pair")) is asking
    assert decide_access(options, said(kind, "whoever", "group")) is AccessVerdict.IGNORE


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("empty", ["[]", "['']", "['', ' ']", "''"])
def test_an_empty_list_means_nobody(kind: str, empty: str) -> None:
    options = configured(kind, f"allowed_users: {empty}, pairing: false")
    for name in ("whoever", "", " ", "*", "None", "null"):
        assert not may_talk(options, User(kind, name), CHAT, {f"{kind}:{name}"})


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_chat_says_goes_for_that_chat_only(kind: str) -> None:
    chats = "chats: {quiet: {mention: never}, few: {allowed_users: [ann]}, -100: {allowed_users: '*'}}"
    options = configured(kind, f"allowed_users: [bob], admins: [eve], pairing: true, {chats}")
    paired = {f"{kind}:pat"}

    def admitted(chat: str) -> list[str]:
        return [
            name
            for name in ("ann", "bob", "eve", "pat", "zoe")
            if may_talk(options, User(kind, name), Conversation(kind, chat), paired)
        ]

    assert admitted("few") == ["ann"]
    assert admitted("-100") == ["ann", "bob", "eve", "pat", "zoe"]
    assert admitted("quiet") == admitted("else") == ["bob", "eve", "pat"]
    message = said(kind, "bob", "group")
    there = replace(message, conversation=Conversation(kind, "quiet"))
    assert decide_access(options, there) is AccessVerdict.ALLOW
    assert decide_access(options, message) is AccessVerdict.IGNORE


def test_whoever_sits_at_the_machine_administers_on_its_page_and_nobody_from_afar() -> None:
    assert configured("web").admins == {"local"}
    exposed = settings("console: {host: 0.0.0.0, token: abcdefghijklmn}")
    assert core_options(exposed).channels["web"].admins == frozenset()
    assert [kind for kind in KINDS if configured(kind).operating] == ["web"]


def test_files_and_commands_pass_the_same_gate() -> None:
    options = configured("telegram", "allowed_users: [ann]")
    file = Attachment(AttachmentKind.FILE, "a.txt", "text/plain", 1, "handle")
    alone = replace(said("telegram", "zoe", "private"), text="", attachments=(file,))
    assert decide_access(options, alone) is AccessVerdict.REFUSE
    assert decide_access(options, replace(alone, sender=User("telegram", "ann"))) is AccessVerdict.ALLOW
    for text in ("/help", "/pair ABCD2345", "/pair list", "/pairs", "hi /pair", "/new"):
        assert decide_access(options, said("telegram", "zoe", "private", text)) is AccessVerdict.REFUSE
        assert decide_access(options, said("telegram", "zoe", "group, called", text)) is AccessVerdict.IGNORE


# Guests and foreigners do not come as far as the core: the channels know who is one.


@pytest.mark.parametrize("opened", [True, False])
@pytest.mark.parametrize("named", [True, False])
async def test_guests_of_slack_come_in_by_name_only(opened: bool, named: bool) -> None:
    who = {
        "U1": SlackUser("Ann", team="T1"),
        "U2": SlackUser("Gus", team="T1", guest=True),
        "U3": SlackUser("Eve", team="T9"),
    }

    async def ask(person: str) -> SlackUser:
        return who.get(person, UNKNOWN)

    users = [*(["'*'"] if opened else ["U1"]), *(["U2"] if named else [])]
    config = settings(f"channels: {{slack: {{{KINDS['slack']}allowed_users: [{', '.join(users)}]}}}}")
    section = config.channels["slack"]
    door = MembershipFilter(
        SlackUserCache(ask),
        SlackBotIdentity("UB", "BB", "T1"),
        section.allowed_users,
        section.open_to_everyone,
    )
    options = core_options(config).channels["slack"]
    heard = [
        each
        for each in ("U1", "U2", "U3", "U4")
        if await door.admits(each) and may_talk(options, User("slack", each), Conversation("slack", "C1"))
    ]
    assert heard == (["U1", "U2"] if named else ["U1"])


async def test_opening_one_chat_of_slack_opens_it_to_members_only() -> None:
    async def ask(person: str) -> SlackUser:
        return SlackUser(person, team="T1" if person == "U1" else "T9")

    section = settings(
        f"channels: {{slack: {{{KINDS['slack']}allowed_users: [U7], chats: {{C1: {{allowed_users: '*'}}}}}}}}"
    ).channels["slack"]
    door = MembershipFilter(
        SlackUserCache(ask),
        SlackBotIdentity("UB", "BB", "T1"),
        section.allowed_users,
        section.open_to_everyone,
    )
    assert [await door.admits(each) for each in ("U1", "U2", "U7")] == [True, False, True]


@pytest.mark.parametrize("staff", ["", "guest-7"])
def test_foreigners_on_dingtalk_come_in_by_name_only(staff: str) -> None:
    payload = {
        "msgId": "m", "conversationId": "c", "conversationType": "1", "senderId": "guest-7",
        "senderStaffId": staff, "senderCorpId": "theirs", "chatbotCorpId": "ours",
        "msgtype": "text", "text": {"content": "hello"},
    }  # fmt: skip
    assert parse_or_skip(json.loads(json.dumps(payload)), ParseOptions(guests=frozenset({"*"}))) is None
    assert parse_or_skip(payload, ParseOptions(guests=frozenset({"guest-7"}))) is not None


ODD = [
    "*",
    "",
    " ",
    "ann",
    "ANN7",
    "Ann7 ",
    " Ann7",
    "Ann7\n",
    "Ann7\0",
    "Аnn7",
    "Ａｎｎ７",
    "Ann7\u200b",
    "\ufeffAnn7",
    "Ann７",
]
identities = st.sampled_from(["Ann7", *ODD]) | st.text(max_size=8) | st.builds(
    lambda before, after: f"{before}Ann7{after}", st.text(max_size=1), st.text(max_size=1)
)  # fmt: skip


@given(identities)
def test_only_the_very_id_that_is_listed_comes_in(name: str) -> None:
    user, alone = User("test", name), name == "Ann7"
    for options in (
        ChannelOptions(SessionSettings("agent"), allowed_users=frozenset({"Ann7", ""})),
        ChannelOptions(SessionSettings("agent"), admins=frozenset({"Ann7", "*"})),
        ChannelOptions(SessionSettings("agent"), chats={"chat": ChatOptions(None, frozenset({"Ann7", " "}))}),
    ):
        assert may_talk(options, user, CHAT) is alone
    pairing = ChannelOptions(SessionSettings("agent"), pairing=True)
    assert may_talk(pairing, user, CHAT, {"test:Ann7"}) is alone


accounts = st.builds(
    User, st.sampled_from(["test", "te", "test:a"]), identities | st.sampled_from(["a:b", "a%3Ab", "b"])
)


@given(accounts, accounts)
def test_letting_in_one_account_lets_in_no_other(one: User, other: User) -> None:
    options = ChannelOptions(SessionSettings("agent"), pairing=True)
    same = (one.channel, one.id) == (other.channel, other.id)
    assert not may_talk(options, other, CHAT, {account_key(one)}) or same


@given(identities, st.sampled_from(list(MentionPolicy)), st.booleans(), st.booleans(), st.text(max_size=8))
def test_a_group_never_hears_of_a_refusal(
    name: str, mention: MentionPolicy, called: bool, pairing: bool, text: str
) -> None:
    options = ChannelOptions(SessionSettings("agent"), mention=mention, pairing=pairing)
    message = replace(said("test", name, "group"), addressed=called, text=text or "/pair")
    assert decide_access(options, message, ours=True) is AccessVerdict.IGNORE


@given(st.sampled_from(["", "*", " ", "Ann7 ", "Ann7\0", "\u200b", "\ud800"]))
def test_what_is_no_account_is_not_let_in_even_where_everybody_is(name: str) -> None:
    options = ChannelOptions(SessionSettings("agent"), allowed_users=frozenset({"*"}), pairing=True)
    for text in ("hello", "/pair", "/help"):
        assert decide_access(options, said("test", name, "private", text)) is AccessVerdict.IGNORE


@pytest.mark.parametrize("unrouted", ["answer", "refuse", "ignore"])
def test_a_group_that_no_entry_is_about(unrouted: str) -> None:
    options = configured("slack", f"chats: {{'C1*': {{mode: wait}}}}, unrouted: {unrouted}")
    alone = {
        "answer": AccessVerdict.ALLOW,
        "refuse": AccessVerdict.UNROUTED,
        "ignore": AccessVerdict.IGNORE,
    }[unrouted]
    message = said("slack", "whoever", "group, called")
    assert decide_access(options, message) is alone
    there = replace(message, conversation=Conversation("slack", "C12", "5"))
    assert decide_access(options, there) is AccessVerdict.ALLOW
    # Talk that is not for us is never answered, commands and private chats always are.
    assert decide_access(options, replace(message, addressed=False)) is AccessVerdict.IGNORE
    assert decide_access(options, replace(message, text="/whoami")) is AccessVerdict.ALLOW
    assert decide_access(options, said("slack", "whoever", "private")) is AccessVerdict.ALLOW
