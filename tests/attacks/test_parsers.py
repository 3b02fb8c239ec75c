"""Whatever is said, reading and showing it takes time that grows as its length, wherever it goes.

The patterns have a test of their own; this one times the functions around them: what runs for each message
that somebody sends, for each answer that an agent gives, for each file, and for what memory learns from.
"""

from contextlib import suppress

import pytest
from langchain_core.messages import HumanMessage

from parley.agent.files import content_blocks, outgoing, sniff
from parley.agent.hitl import decisions
from parley.agent.stream import steps
from parley.app.process import logs
from parley.channels.dingtalk import formatting as dingtalk
from parley.channels.dingtalk.inbound.message_parser import _without_us
from parley.channels.feishu import formatting as feishu
from parley.channels.feishu.inbound.event_parser import resolve_mentions
from parley.channels.kit import files as names
from parley.channels.kit.markdown.parse import parse
from parley.channels.kit.text import chunks, utf16_length
from parley.channels.slack import formatting as slack
from parley.channels.telegram import formatting as telegram
from parley.channels.telegram.outbound.rich_layout import wants_layout
from parley.core.hitl import policy
from parley.core.model import sanitize
from parley.core.model.command_syntax import parse_command as command
from parley.core.model.errors import MemoryFailed
from parley.core.model.types import Json
from parley.memory.edits import comparable_values, similarity
from parley.memory.learning import upload_filter
from parley.memory.learning.extraction import parse_response as answers
from parley.memory.learning.extraction import rules, strip_markup
from parley.memory.learning.extraction.statements import read_statements
from parley.memory.search import date_terms
from parley.memory.text import search_terms, sentences, smalltalk
from parley.server.demo import intents, thread_inspection
from tests.attacks.pathological_texts import MARKDOWN
from tests.attacks.time_growth import climbs, steep

pytestmark = pytest.mark.attacks

US: Json = [{"key": "@_user_1", "id": {"open_id": "me"}, "name": "Parley"}]


def update(text):
    with suppress(MemoryFailed):
        answers.read_text(text, answers.ShownIds({}, ()))


def learned(text):
    own = strip_markup.own_words(text)
    return read_statements(own, rules.split_statements(own)), rules.RuleExtractor().corrects(own)


READ = {
    "DingTalk's text": lambda text: _without_us(text, "Parley"),
    "Feishu's text": lambda text: resolve_mentions(text, US, "me"),
    "Slack's text": lambda text: slack.readable_text(text, "U1", {}),
    "Slack's mentions": slack.mentions,
    "a command": command,
    "hidden characters": lambda text: sanitize.sanitize_text(text, 10**6),
    "a file's name": lambda text: (
        names.safe_name(text),
        outgoing.safe_name(text, 1, ""),
        content_blocks._safe(text),
    ),
    "what a file is": lambda text: sniff.kind_of(text.encode("utf-8", "replace")),
    "a refusal": policy.refusal_reason,
    "a decision": lambda text: [each.fullmatch(text) for each in (policy._EDITION, decisions._RESPONSE)],
    "the demonstration": lambda text: intents.choose_reply(
        thread_inspection.inspect_thread([HumanMessage(text)])
    ),
    "own words": strip_markup.own_words,
    "an agent's words": strip_markup.agent_words,
    "a question": smalltalk.yes_no_question,
    "small talk": smalltalk.says_nothing,
    "sentences": sentences.split_sentences,
    "what rules learn": learned,
    "what a model learned": update,
    "terms": search_terms.terms,
    "days": date_terms.written_days,
    "values": comparable_values.comparable_values,
    "statements": similarity._gist.__wrapped__,
    "uploads": upload_filter.is_upload_news,
    "a step's title": steps.title.__wrapped__,
    "a line of the log": logs._indented,
}
SHOWN = {
    "DingTalk's cards": dingtalk.card_parts,
    "DingTalk's messages": dingtalk.plain_parts,
    "DingTalk's titles": dingtalk.title,
    "Feishu's cards": feishu.render,
    "Feishu's summaries": feishu.summary,
    "Slack's messages": lambda text: slack.split_messages(slack.escape_mentions(text)),
    "Telegram's messages": telegram.render,
    "Telegram's layout": wants_layout,
    "the tree": parse,
    "plain chunks": lambda text: list(chunks(text, 4_000, utf16_length)),
}
SIGNS = (
    *("a", " ", "\n", "\t", "\r\n", "!", "?", ".", "...", "。", "(", '"', "\\", "@", "<", ">", "[", "{", "|"),
    *(
        "*",
        "_",
        "`",
        "~",
        "#",
        "-",
        ":",
        "/",
        "&",
        "\x1b",
        "\u0301",
        "\u200d",
        "\u2028",
        "🇩🇪",
        "😀",
        "可",
        "是啊",
    ),
)
OF_CHATS = (
    *("@a ", "@_user_1", " @_user_1 ", "<@U1>", " <@U1> ", "<@U1|", "/new ", "@a /", "a@a", "http://", "1. "),
    *(
        "x, and i ",
        "  and  ",
        "i like a. ",
        "remember ",
        "forget ",
        "hi ",
        "uploaded a-",
        "a.b",
        "1 may ",
        "2024-",
    ),
)
OF_MACHINES = (
    *("<memory>", "<memory ", "</memory>", "<think>", "</think>", '<file name="a" type="b">\n', "\n</file>"),
    *(
        '[Attached file "',
        '[Attached file "a" (',
        "), 1 bytes: ",
        '{"newFacts":',
        "<uploaded_files",
        "<!-- a -->",
    ),
    *(
        "<?xml ?>",
        "<!--",
        "-- Forwarded message --",
        "\n>",
        "<system-reminder>",
        "edit {",
        "[cut here: ",
        "]\n",
    ),
)
# From a size on at which every channel cuts: its growth begins there.
MOST_SHOWN = 72_000


@pytest.mark.parametrize("read", READ)
def test_what_people_and_agents_say_is_read_in_time_that_grows_as_it_does(read):
    wrong = {part: climbs(READ[read], part, 20_000) for part in (*SIGNS, *OF_CHATS, *OF_MACHINES)}
    assert {part: str(found) for part, found in wrong.items() if found} == {}


@pytest.mark.parametrize("show", SHOWN)
def test_answers_are_shown_in_time_that_grows_as_they_do(show):
    wrong = {part: climbs(SHOWN[show], part, MOST_SHOWN) for part in MARKDOWN}
    assert {part: str(found) for part, found in wrong.items() if found} == {}


@pytest.mark.parametrize("part", ["是啊", "可以啊", "好的好", "ok ", "thank you "])
def test_small_talk_that_can_be_parted_in_many_ways_is_read_at_once(part):
    """59 characters were enough: only short messages are compared, but each of these doubles the ways."""
    assert steep(smalltalk.says_nothing, lambda count: part * count + "x", smalltalk._LONGEST) is None


def test_what_grows_faster_is_told():
    def squares(text):
        return sum(1 for _ in text for _ in text)

    assert any(climbs(squares, "a", 1_000) for _ in range(10))
    assert climbs(sorted, "a", 40_000) is None
