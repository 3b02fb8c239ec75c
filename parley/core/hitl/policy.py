"""Who may decide a question, and what their words mean: pure rules."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from parley.core.model.address import User, account_key
from parley.core.model.options import ADMINS, ANYONE, ASKER, DecisionRules
from parley.core.model.questions import AnswerKind, Option, Question, QuestionKind
from parley.core.texts.typed_words import EDITION, NO, REFUSAL, YES

_REFUSAL = re.compile(rf"(?:{REFUSAL})[\s:：,，.。-]*(.+)", re.IGNORECASE | re.DOTALL)
_EDITION = re.compile(rf"(?:{EDITION})[\s:：]*(\{{.*)", re.IGNORECASE | re.DOTALL)
_MOST_DIGITS = 10


def may_decide(rules: DecisionRules, user: User, asker: User, admins: frozenset[str]) -> bool:
    """Tell whether `user` may decide what a run of `asker` asks; `admins` are ids on the user's channel.

    A bot decides nothing. What it had asked by its message anybody may decide who may talk there.
    """
    if user.bot:
        return False
    asked_it = account_key(user) == account_key(asker)
    if asked_it and rules.four_eyes:
        return False
    return any(
        (who == ASKER and (asked_it or asker.bot))
        or (who == ADMINS and user.id in admins)
        or who == ANYONE
        or who == account_key(user)
        for who in rules.deciders
    )


def is_yes(text: str) -> bool:
    """Tell whether `text` says yes and nothing else."""
    return _folded(text) in YES


def is_no(text: str) -> bool:
    """Tell whether `text` says no and nothing else."""
    return _folded(text) in NO


def refusal_reason(text: str) -> str:
    """Return why `text` refuses, where it begins by refusing: "reject because ...", "no, ..."."""
    match = _REFUSAL.fullmatch(text.strip())
    return match[1].strip() if match else ""


def takes_words(question: Question, text: str) -> bool:
    """Tell whether words that are no option answer the question.

    Where an action waits for approval, words that do not begin by refusing decide nothing: who goes on
    talking has not read the question, or wants something else than to refuse.
    """
    if question.may_respond or not question.options:
        return True
    refusable = question.kind is not QuestionKind.INPUT and any(o.id == "reject" for o in question.options)
    return refusable and bool(refusal_reason(text))


def parse_reply(question: Question, text: str) -> tuple[AnswerKind, str] | None:
    """Return what `text` says to a question; None for arguments that cannot be read.

    Never approve by guess: only an option's name, a number, or a plain yes or no picks an option. What people
    see goes before its number, and before what stands for it; of two options that fit alike none is picked.
    """
    said = text.strip()
    if question.may_edit and (edition := _EDITION.fullmatch(said)):
        arguments = parse_arguments(edition[1])
        return (AnswerKind.EDIT, arguments) if arguments else None
    fitting = _fitting_options(question.options, said)
    return (AnswerKind.OPTION, fitting[0].id) if len(fitting) == 1 else (AnswerKind.WORDS, said)


def _fitting_options(options: Sequence[Option], said: str) -> Sequence[Option]:
    folded = _folded(said)
    if folded and (labelled := [each for each in options if folded == _folded(each.label)]):
        return labelled
    # Of thousands of digits Python makes no number.
    number = int(said) if said.isdecimal() and len(said) < _MOST_DIGITS else 0
    if 0 < number <= len(options):
        return [options[number - 1]]
    return [option for option in options if folded == option.id.casefold() or _means(option, said)]


def parse_arguments(text: str) -> str:
    """`text` as the JSON object that edited arguments must be, or "" where it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else ""


def _means(option: Option, said: str) -> bool:
    return (option.id == "approve" and is_yes(said)) or (option.id == "reject" and is_no(said))


def _folded(text: str) -> str:
    return text.strip().strip(" .!?。！？,，").casefold()


def fit_rules(rules: DecisionRules, question: Question) -> DecisionRules:
    """Return rules that fit the question: time can only take an option that it has."""
    has = rules.expired in {option.id for option in question.options}
    return rules if has else replace(rules, expired="")
