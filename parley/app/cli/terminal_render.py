"""A reply in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from parley.app.cli.clients.chat_client import EntryView, is_delay


class ReplyPrinter:
    """Prints a reply as it grows; into a pipe only its final text.

    `suggestions` are what it said may be asked next, which it has printed with their numbers.
    """

    def __init__(self, *, growing: bool) -> None:
        self._growing = growing
        self._id = ""
        self._printed = ""
        self._steps: set[str] = set()
        self._waiting: list[str] = []
        self.suggestions: Sequence[str] = ()

    def show(self, entry: EntryView) -> None:
        """Print what is new; a text that was rewritten is printed again as a whole."""
        if is_delay(entry):
            return
        if self._growing:
            self._note_steps(entry)
        elif not entry["final"]:
            return
        text = entry["text"]
        if entry["id"] != self._id:
            self._id, self._printed = entry["id"], ""
        if not text.startswith(self._printed):
            self._write("\n" if self._printed else "")
            self._printed = ""
        self._write(text[len(self._printed) :])
        self._printed = text
        if entry["final"]:
            self._end(entry)

    def _write(self, piece: str) -> None:
        """Print `piece`, with the steps that wait at its first paragraph's end."""
        head, gap, rest = piece.partition("\n\n")
        if self._waiting and not self._printed:
            self._show_steps()
        elif self._waiting and gap:
            print(head, flush=True)
            self._show_steps()
            piece = f"\n{rest}"
        print(piece, end="", flush=True)

    def _note_steps(self, entry: EntryView) -> None:
        for step in entry["steps"]:
            if step["id"] not in self._steps:
                self._steps.add(step["id"])
                self._waiting.append(step["title"])

    def _show_steps(self) -> None:
        for title in self._waiting:
            print(f"  · {title}", file=sys.stderr, flush=True)
        self._waiting.clear()

    def _end(self, entry: EntryView) -> None:
        print()
        self._show_steps()
        # Where the page has buttons, the terminal has numbers.
        question = entry.get("question")
        for number, option in enumerate(question["options"] if question else (), start=1):
            print(f"  {number}. {option['label']}")
        for file in entry["files"]:
            print(f"[file: {file['name']}]")
        if self._growing and (suggested := entry.get("suggestions")):
            self.suggestions = suggested
            print("\n  To ask one of these, type its number:")
            for number, text in enumerate(suggested, start=1):
                print(f"  {number}. {text}")


class DelayPrinter:
    """Says on standard error why nothing comes, each sentence once."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def show(self, sentence: str) -> None:
        """Print a sentence, if it was not yet."""
        if sentence not in self._said:
            self._said.add(sentence)
            print(f"parley: {sentence}", file=sys.stderr, flush=True)
