"""Whatever an agent says becomes something that the platform takes: judged by the vendors' own models."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.models.blocks import MarkdownBlock
from telegram import MessageEntity

from parley.channels.dingtalk import formatting as dingtalk
from parley.channels.feishu import formatting as feishu
from parley.channels.feishu.question_card import CardFooter, question_card_json
from parley.channels.kit.text import utf16_length
from parley.channels.slack import formatting as slack
from parley.channels.telegram import formatting as telegram
from parley.core.model.types import Step, StepStatus
from tests.fuzz.strategies import fuzzed, long_texts, texts

pytestmark = [pytest.mark.fuzz, pytest.mark.timeout(3_000)]

ANSWERS = texts | long_texts
STEPS = st.lists(st.builds(Step, texts, texts, st.sampled_from(StepStatus)), max_size=12)


def is_sound(text):
    """Whether it can be sent at all."""
    return text == text.encode("utf-8").decode() and "\0" not in text


@fuzzed()
@given(ANSWERS, STEPS)
def test_telegram_takes_it(markdown, steps):
    for part in telegram.with_steps(telegram.render(markdown), steps):
        length = utf16_length(part.text)
        assert 0 < length <= 4096
        assert is_sound(part.text)
        assert len(part.entities) <= 100
        for entity in part.entities:
            assert 0 <= entity.offset < entity.offset + entity.length <= length
            MessageEntity.de_json(json.loads(entity.to_json()), None)
        assert utf16_length(telegram.placeholder_for(part).text) <= length or part.text


@fuzzed()
@given(ANSWERS, STEPS)
def test_slack_takes_it(markdown, steps):
    for page in slack.with_steps(slack.split_messages(slack.escape_mentions(markdown)), steps):
        assert is_sound(page)
        assert len(page) <= 12_000
        MarkdownBlock(text=page).validate_json()


@fuzzed()
@given(ANSWERS, STEPS)
def test_feishu_takes_it(markdown, steps):
    parts = feishu.render(markdown)
    lines = feishu.steps_text(parts, steps)
    for part in parts:
        assert is_sound(part)
        under = CardFooter((feishu.steps_element(lines),) if part == parts[-1] else ())
        assert len(json.dumps(question_card_json(part, under), ensure_ascii=False).encode()) <= 30 * 1024
        for whole in (feishu.card(part, streaming=True), feishu.post(part), feishu.plain(part)):
            assert len(json.dumps(whole, ensure_ascii=False).encode()) <= 30 * 1024
        assert is_sound(feishu.summary(part))
    assert is_sound(lines)


@fuzzed()
@given(ANSWERS, STEPS)
def test_dingtalk_takes_it(markdown, steps):
    for part in (
        *dingtalk.with_steps(dingtalk.card_parts(markdown), steps),
        *dingtalk.plain_parts(markdown),
        *dingtalk.card_to_plain(dingtalk.card_parts(markdown)),
    ):
        assert is_sound(part)
        assert dingtalk.wire_bytes(part) <= 20 * 1024
        assert is_sound(dingtalk.title(part))
