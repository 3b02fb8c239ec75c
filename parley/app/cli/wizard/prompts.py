"""Questions in a terminal, or to whatever is piped in."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parley.core.model.errors import ParleyError
from parley.core.model.sanitize import sanitize_text
from parley.core.texts import SETUP_CATALOGUE, SetupSentence, language_of
from parley.core.texts.typed_words import NO, YES

_LONGEST = 4_096
_LONGEST_CHOICE = 20


class InputEnded(ParleyError):
    """Nobody answers any more."""


@dataclass(frozen=True, slots=True)
class TerminalPrompts:
    """Asks in one language. Every method that asks raises InputEnded."""

    language: str

    def text(self, sentence: SetupSentence, **values: object) -> str:
        """Return a sentence."""
        return SETUP_CATALOGUE[self.language][sentence].format(**values)

    def say(self, sentence: SetupSentence, **values: object) -> None:
        """Print a sentence."""
        print(self.text(sentence, **values), flush=True)

    def ask(self, question: str, default: str = "") -> str:
        """Return what is typed, or the default for an empty line."""
        hint = f" ({self.text(SetupSentence.OR_ENTER, default=default)})" if default else ""
        return self._line(f"{question}{hint}: ") or default

    def secret(self, name: str) -> str:
        """Return a secret; in a terminal it is not shown while it is typed."""
        if not sys.stdin.isatty():
            return self._line(f"{name}: ")
        try:
            question = f"{name} ({self.text(SetupSentence.NOT_SHOWN)}): "
            return getpass.getpass(question).strip()[:_LONGEST]
        except EOFError as error:
            raise InputEnded(self.text(SetupSentence.NO_INPUT)) from error

    def confirm(self, question: str, default: bool = True) -> bool:
        """Return whether the answer is yes."""
        while True:
            answer = self._line(f"{question} {'[Y/n]' if default else '[y/N]'} ").lower()
            if not answer:
                return default
            if answer in YES or answer in NO:
                return answer in YES
            self.refuse(answer)

    def choose(self, question: str, options: Sequence[str]) -> int:
        """Return the position of the option that is chosen; an empty line is the first."""
        print(f"\n{question}")
        for number, option in enumerate(options, 1):
            print(f"  {number}. {option}")
        while True:
            answer = self.ask(self.text(SetupSentence.CHOICE), "1")
            if (position := as_number(answer, len(options))) is not None:
                return position
            self.refuse(answer)

    def refuse(self, answer: str) -> None:
        """Say that there is no such answer; a long one may be a secret, pasted too late, and is not shown."""
        if len(answer) > _LONGEST_CHOICE:
            self.say(SetupSentence.CHOICE_UNREADABLE)
        else:
            self.say(SetupSentence.CHOICE_UNKNOWN, answer=sanitize_text(answer))

    def _line(self, question: str) -> str:
        try:
            return input(question).strip()[:_LONGEST]
        except EOFError as error:
            print()
            raise InputEnded(self.text(SetupSentence.NO_INPUT)) from error


def as_number(answer: str, most: int) -> int | None:
    """Return the position that a typed number means, from 0; None for anything else."""
    if answer.isdecimal() and answer.isascii() and 1 <= int(answer[:9]) <= most:
        return int(answer) - 1
    return None


def terminal_language(chosen: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return the language that was chosen, or that of the terminal."""
    locale = environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG") or ""
    return language_of(chosen, locale)
