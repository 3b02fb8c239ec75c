"""People read one catalogue: every sentence in every language, and none beside it.

Why a file is left out has to be one of its sentences: `AttachmentRefused` takes nothing else.
"""

import ast
import re
import string

import pytest

from parley.core.texts import (
    AGENT_CATALOGUE,
    CATALOGUE,
    MEMORY_CATALOGUE,
    PAGE_CATALOGUE,
    SETUP_CATALOGUE,
    AgentSentence,
    MemorySentence,
    PageSentence,
    Sentence,
    SetupSentence,
)
from parley.memory.model.vocabulary import CATEGORIES, TOPICS
from tests.kit.checkout import ROOT, name, parsed

# Where what people read is made: these take a whole text, or are one.
SHOWN = {
    "CommandAnswer": ("text", 0),
    "OutboundMessage": ("text", 3),
    "RunProgress": ("text", 0),
    "Step": ("title", 1),
    "Taken": ("text", 1),
    "_show": ("text", 0),
}
NOTES = {"write", "change"}
"""Methods that keep a turn's `text`."""

# Words for a person are letters with a space between; ids, marks and Markdown are not.
SENTENCE = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}|[\u4e00-\u9fff]")
HAN = re.compile(r"[\u4e00-\u9fff]")
WORD = re.compile(r"[A-Za-z]{2,}|[\u4e00-\u9fff]")
"""Titles of steps may be one word."""
ELSEWHERE = {"parley/core/hitl/policy.py", "parley/core/model/sanitize.py"}
"""They read what people write, and say nothing."""
CHINESE = {
    "memories are written in the language of whoever is remembered": {
        *("memory/edits/comparable_values.py", "memory/edits/distinctive_terms.py"),
        *("memory/edits/supersede.py", "memory/learning/orders.py"),
        *("memory/learning/screening.py", "memory/learning/subjects.py", "memory/inject/essentials.py"),
        *("memory/learning/extraction/rules.py", "memory/learning/upload_filter.py"),
        *("memory/upkeep/soundness.py", "memory/text/secrets/words.py"),
        "memory/learning/extraction/statements.py",
        *("memory/text/secrets/form.py", "memory/text/secrets/seed_phrases.py"),
        "memory/learning/extraction/strip_markup.py",
        *("memory/search/date_terms.py", "memory/search/index.py", "memory/search/query.py"),
        *("memory/text/search_terms.py", "memory/text/smalltalk.py"),
    },
    "borders of scripts": {"parley/core/model/sanitize.py"},
    "the names that DingTalk has for something": {
        *("channels/dingtalk/errors.py", "channels/dingtalk/formatting.py"),
        "channels/dingtalk/outbound/thinking_reactions.py",
    },
    "sentences that a walk through a live account sends": {
        *("parley/app/live/clean.py", "parley/app/live/steps.py"),
    },
    "an agent of its own, which answers in the language of its person": {
        *("parley/server/demo/intents.py", "parley/server/demo/mail.py"),
    },
}
"""Modules with Chinese outside the catalogue, by the reason."""

LOGS = {"log"}
NOT_SAID = re.compile(
    r"(?:[A-Z]\w*)?(?:Error|Lost|Missing|Refused|Rejected|Unavailable|Unauthorized|UnreadableResponse)"
    r"|file_withheld|compile|log_store_failure"
)
"""Errors, and what makes them: their words are for the log. And patterns, which read what people write."""
FOR_OTHERS = {
    "whoever runs Parley, or its log": {
        *(
            "parley/agent/files/formats/slides.py",
            "parley/agent/files/reader.py",
            "parley/agent/files/sandbox.py",
            "parley/agent/files/sandbox_trial.py",
            "parley/agent/files/voice_decoder.py",
            "parley/agent/files/web_post.py",
        ),
        *(
            "parley/agent/runs/failure.py",
            "parley/agent/runs/outcome.py",
            "parley/agent/speech/service.py",
            "parley/agent/stream/transcript.py",
            "parley/agent/transport/assistants.py",
            "parley/agent/transport/model_list.py",
            "parley/agent/transport/health_probe.py",
            "parley/agent/agent.py",
        ),
        *(
            "parley/agent/langgraph_client.py",
            "parley/agent/transport/error_mapping.py",
            "channels/dingtalk/api.py",
            "channels/dingtalk/errors.py",
            "channels/dingtalk/registration.py",
            "channels/feishu/scopes.py",
        ),
        *("channels/feishu/api.py", "channels/feishu/errors.py", "channels/slack/errors.py"),
        "channels/feishu/registration.py",
        *("channels/dingtalk/config.py", "channels/feishu/config.py", "channels/slack/config.py"),
        *("channels/slack/channel.py", "channels/telegram/channel.py", "channels/telegram/config.py"),
        *(
            "channels/kit/http/errors.py",
            "channels/slack/manifest.py",
            "channels/slack/inbound/socket_mode.py",
        ),
        "channels/telegram/errors.py",
        # What `parley doctor` says of a connection.
        *(
            "channels/dingtalk/channel.py",
            "channels/dingtalk/inbound/unpublished.py",
            "channels/feishu/bot_info.py",
            "channels/feishu/channel.py",
            "channels/feishu/speech_recognition.py",
            "channels/telegram/inbound/connection_probe.py",
        ),
    },
    "the platform's server, or the page's script, beside a code": {
        *(
            "channels/slack/inbound/events_api.py",
            "channels/telegram/inbound/webhook.py",
            "channels/web/api/http_errors.py",
        ),
        *("channels/web/chat/reply.py", "channels/dingtalk/outbound/thinking_reactions.py"),
    },
    "the browser, which is given a script": {"channels/web/sentences.py"},
    "the agent": {
        "parley/agent/files/content_blocks.py",
        "parley/agent/files/formats/slides.py",
        "parley/agent/hitl/decisions.py",
        "channels/feishu/inbound/forwarded_conversation.py",
        "channels/feishu/inbound/special_content.py",
        "channels/slack/inbound/event_parser.py",
        "channels/telegram/inbound/message_words.py",
    },
    "nobody: what the agent's framework says by itself is left out": {"parley/agent/hitl/questions.py"},
}


CATALOGUES = (
    (CATALOGUE, Sentence),
    (AGENT_CATALOGUE, AgentSentence),
    (MEMORY_CATALOGUE, MemorySentence),
    (PAGE_CATALOGUE, PageSentence),
    (SETUP_CATALOGUE, SetupSentence),
)
PAGE = ROOT / "channels" / "web" / "page"


def sources():
    found = (path for path in (ROOT / "parley" / "core").rglob("*.py") if "texts" not in path.parts)
    return [path for path in found if name(path) not in ELSEWHERE]


def places(text):
    return {place for _, place, _, _ in string.Formatter().parse(text)} - {None}


def test_the_page_has_one_sentence_of_each_name():
    """It has those of the set-up beside its own."""
    assert not {each.value for each in PageSentence} & {each.value for each in SetupSentence}


@pytest.mark.parametrize(("catalogue", "names"), CATALOGUES)
def test_no_sentence_is_missing_empty_or_beside_the_others(catalogue, names):
    for language, texts in catalogue.items():
        assert set(texts) == set(names), language
        assert not [sentence for sentence, text in texts.items() if not text.strip()]


@pytest.mark.parametrize(("catalogue", "names"), CATALOGUES)
def test_the_languages_are_different_and_fill_the_same_places(catalogue, names):
    same = [s for s in names if len({texts[s] for texts in catalogue.values()}) == 1]
    assert same == []
    for sentence in names:
        assert len({frozenset(places(texts[sentence])) for texts in catalogue.values()}) == 1, sentence
        assert all(place.isidentifier() for place in places(catalogue["en"][sentence])), sentence


def test_the_page_says_each_of_its_sentences_and_has_none_of_its_own():
    script = "".join(path.read_text("utf-8") for path in sorted(PAGE.rglob("*.js")))
    by_name = {*CATEGORIES, *TOPICS}  # the names of what a memory has
    assert [each for each in PageSentence if f'"{each}"' not in script and each not in by_name] == []
    assert re.findall(r"[\u4e00-\u9fff]+", script) == []


def test_chinese_stands_in_the_catalogue_or_has_a_reason():
    found = {
        name(path)
        for folder in ("parley", "channels", "memory")
        for path in (ROOT / folder).rglob("*.py")
        if path.is_relative_to(ROOT / folder)
        and not {"texts", "simulator"} & set(path.parts)
        and re.search(r"[\u4e00-\u9fff]|\\[uUN]", path.read_text("utf-8"))
        and any(HAN.search(each.value) for each in spoken_literals(parsed(path)))
    }
    excused = set().union(*CHINESE.values())
    assert found - excused == set()
    assert excused - found == set(), "these need no exemption any more"


def test_nobody_is_spoken_to_in_the_familiar_form():
    """In Chinese people are 您. Only what they may say to the agent has 你: they speak to a machine."""
    theirs = {Sentence.PROMPT_HELP, Sentence.PROMPT_HELP_WORDS}
    for texts in (catalogue["zh"] for catalogue, _ in CATALOGUES):
        assert [key for key, text in texts.items() if "你" in text and key not in theirs] == []


def test_chinese_has_chinese_punctuation():
    """Half-width marks beside a Chinese character, outside of code."""
    for texts in (catalogue["zh"] for catalogue, _ in CATALOGUES):
        bare = {key: re.sub(r"`[^`]*`|\{[^}]*\}", "", text) for key, text in texts.items()}
        wrong = re.compile(r"[\u4e00-\u9fff][,;:!?.()]|[,;:!?()][\u4e00-\u9fff]")
        assert [key for key, text in bare.items() if wrong.search(text)] == []


def test_every_place_is_filled_wherever_a_sentence_is_said():
    unfilled, checked = [], 0
    for path in [*sources(), *(ROOT / "channels").rglob("*.py")]:
        for call in calls(parsed(path)):
            sentence = said(call)
            if sentence is None or any(keyword.arg is None for keyword in call.keywords):
                continue
            checked += 1
            given = {keyword.arg for keyword in call.keywords}
            if not places(CATALOGUE["en"][sentence]) <= given:
                unfilled.append(f"{name(path)}:{call.lineno}: {sentence}")
    assert unfilled == []
    assert checked > 60


def test_nothing_is_said_that_is_not_in_the_catalogue():
    found = [
        f"{name(path)}:{literal.lineno}: {literal.value}"
        for path in sources()
        for shown in texts_shown(parsed(path))
        for literal in literals(shown)
        if SENTENCE.search(literal.value)
    ]
    assert found == []


def test_channels_and_the_agents_side_say_nothing_of_their_own():
    exempt = set().union(*FOR_OTHERS.values())
    paths = (*(ROOT / "channels").rglob("*.py"), *(ROOT / "parley" / "agent").rglob("*.py"))
    spoken = {name(path) for path in paths if any(unsaid(parsed(path)))}
    assert spoken - exempt == set()
    assert exempt - spoken == set(), "these need no exemption any more"


def test_no_title_of_a_step_is_made_up():
    titles = [
        f"{name(path)}:{literal.lineno}: {literal.value}"
        for path in (ROOT / "parley" / "agent").rglob("*.py")
        for call in calls(parsed(path))
        if called_name(call) == "Step"
        for title in [*call.args[1:2], *(each.value for each in call.keywords if each.arg == "title")]
        for literal in literals(title)
        if WORD.search(literal.value)
    ]
    assert titles == []


def test_words_of_ones_own_are_found():
    """That the test of channels can fail, and that it leaves logs, errors and documentation alone."""
    said_so = (
        '_WORDS = {"en": ("Change the arguments",), "zh": ("取消",)}',
        'thinking = "正在思考…" if chinese else "is thinking…"',
        'def f(file):\n    return f"{file} was left out"',
    )
    assert all(any(unsaid(ast.parse(line))) for line in said_so)
    quiet = (
        '"""A module of words."""\nclass A:\n    "A class of words."\n    x = 1\n    """What it is for."""',
        'log.warning("a thing went wrong: %s", error)',
        'raise DeliveryRejected(f"it was not {taken} here")',
        'made = AnswerLost("no answer came")',
        'x = {"one-word": "two_words"}',
    )
    assert [line for line in quiet if any(unsaid(ast.parse(line)))] == []


def test_a_sentence_beside_the_catalogue_is_found():
    """That the test above can fail: what it looks for, in each of the places."""
    for line in (
        'CommandAnswer("You may not do this")',
        'CommandAnswer(text=f"Hello {name}, how are you")',
        'await turn.write(stage=1, text="All is done")',
        "OutboundMessage(a, b, c, '都好了')",
        'async def new(context: CommandContext, rest: str) -> str:\n    return "A new one begins"',
        'def f():\n    self._show("Still at work here", ())',
    ):
        shown = texts_shown(ast.parse(line))
        assert any(SENTENCE.search(literal.value) for text in shown for literal in literals(text)), line


def unsaid(tree):
    """The sentences in a module that are neither documentation, nor for a log or an error."""
    silent = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            silent.add(node.value)
        elif isinstance(node, ast.Raise | ast.Assert) or (isinstance(node, ast.Call) and is_quiet(node)):
            silent.update(literals(node))
        elif isinstance(node, ast.keyword) and node.arg == "name":
            # Tasks have names, which show in their errors.
            silent.update(literals(node.value))
    return [each for each in literals(tree) if each not in silent and SENTENCE.search(each.value)]


def spoken_literals(tree):
    """The texts in a module that are no documentation."""
    documentation = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [each for each in literals(tree) if each not in documentation]


def is_quiet(call):
    """Whether what a call is given is read by nobody in a chat."""
    return logs(call) or NOT_SAID.fullmatch(called_name(call))


def logs(call):
    function = call.func
    owner = function.value if isinstance(function, ast.Attribute) else None
    return isinstance(owner, ast.Name) and owner.id in LOGS


def texts_shown(tree):
    """The expressions of a module that people will read."""
    for call in calls(tree):
        called = called_name(call)
        if called in SHOWN:
            keyword, position = SHOWN[called]
            yield from (each.value for each in call.keywords if each.arg == keyword)
            yield from call.args[position : position + 1]
        elif called in NOTES:
            yield from (each.value for each in call.keywords if each.arg == "text")
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and is_command(function):
            yield from (
                each.value for each in ast.walk(function) if isinstance(each, ast.Return) and each.value
            )


def is_command(function):
    """Whether a function answers a command, or a part of one."""
    kinds = [each.annotation for each in function.args.args if each.annotation is not None]
    return any(isinstance(kind, ast.Name) and kind.id == "CommandContext" for kind in kinds)


def said(call):
    """The sentence that a call names, if it says one."""
    if called_name(call) not in ("say", "_say"):
        return None
    for argument in call.args:
        if not isinstance(argument, ast.Attribute) or not isinstance(argument.value, ast.Name):
            continue
        if argument.value.id == "Sentence":
            return Sentence[argument.attr]
    return None


def literals(node):
    return [each for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)]


def calls(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def called_name(call):
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
