"""Who may decide a question, and what their words mean: pure rules."""

from __future__ import annotations

import json
from dataclasses import replace
from enum import StrEnum

from parley.core.model.address import User, account_key
from parley.core.model.options import ADMINS, ANYONE, ASKER, DecisionRules
from parley.core.model.questions import EDIT, Option, Question

_YES = frozenset(
    (
        *("approve", "approved", "yes", "y", "ok", "okay", "accept", "confirm", "sure", "go ahead"),
        *("批准", "同意", "好", "好的", "可以", "是", "是的", "确认", "通过", "允许", "行", "👍", "✅"),
    )
)
_NO = frozenset(
    (
        *("reject", "rejected", "no", "n", "deny", "decline", "refuse", "refused", "cancel"),
        *("拒绝", "不同意", "不批准", "不可以", "不行", "不", "不要", "否", "取消", "驳回", "👎", "❌"),
    )
)
_EDIT_WORDS = ("edit", "编辑", "修改")
_MOST_DIGITS = 10


def may_decide(rules: DecisionRules, user: User, asker: User, admins: frozenset[str]) -> bool:
    """Whether `user` may decide what a run of `asker` asks; `admins` are user ids on the user's channel."""
    asked_it = account_key(user) == account_key(asker)
    if asked_it and rules.four_eyes:
        return False
    return any(
        (who == ASKER and asked_it)
        or (who == ADMINS and user.id in admins)
        or who == ANYONE
        or who == account_key(user)
        for who in rules.deciders
    )


class ReplyMeaning(StrEnum):
    """What a person's words to a question are."""

    OPTION = "option"
    EDITED = "edited"
    WORDS = "words"
    UNREADABLE = "unreadable"


def parse_reply(question: Question, text: str) -> tuple[ReplyMeaning, str]:
    """What `text` says to a question: the id of an option, arguments as JSON text, or words.

    Never approve by guess: only a number, an option's name, or a plain yes or no picks an option.
    """
    said = text.strip()
    if edited := _edited(question, said):
        return edited
    # Of thousands of digits Python makes no number.
    number = int(said) if said.isdecimal() and len(said) < _MOST_DIGITS else 0
    if 0 < number <= len(question.options):
        return ReplyMeaning.OPTION, question.options[number - 1].id
    folded = said.strip(" .!?。！？,，").casefold()
    for option in question.options:
        if folded in (option.id.casefold(), option.label.casefold()) or _means(option, folded):
            return ReplyMeaning.OPTION, option.id
    return ReplyMeaning.WORDS, said


def parse_arguments(text: str) -> str:
    """`text` as the JSON object that edited arguments must be, or "" where it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else ""


def _edited(question: Question, said: str) -> tuple[ReplyMeaning, str] | None:
    word = next((word for word in _EDIT_WORDS if said.casefold().startswith(word)), "")
    rest = said[len(word) :].strip(" :：\n")
    if not question.may_edit or not word or not rest.startswith("{"):
        return None
    arguments = parse_arguments(rest)
    return (ReplyMeaning.EDITED, arguments) if arguments else (ReplyMeaning.UNREADABLE, rest)


def _means(option: Option, folded: str) -> bool:
    return (option.id == "approve" and folded in _YES) or (option.id == "reject" and folded in _NO)


def decision_text(option: str, text: str) -> str:
    """A decision as the words that the agent is given."""
    if option == EDIT:
        return f"{EDIT} {text}"
    return option or text


def fit_rules(rules: DecisionRules, question: Question) -> DecisionRules:
    """Rules that fit the question: time can only take an option that it has."""
    has = rules.expired in {option.id for option in question.options}
    return rules if has else replace(rules, expired="")
