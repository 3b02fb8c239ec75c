"""Somebody alone with the bot, whatever the platform."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

Seen = tuple[str, str, tuple[str, ...]]
"""A message of the bot: its id, its text, and the labels of its buttons."""


class Decider(ABC):
    """Somebody alone with the bot; `buttons` says that their platform has them."""

    name: str
    buttons = True
    person: Any
    """Who it is, as the simulator knows them."""

    @abstractmethod
    def section(self) -> dict[str, object]:
        """The channel's section of the configuration."""

    @abstractmethod
    def say(self, text: str) -> None:
        """Write to the bot."""

    @abstractmethod
    def send_picture(self, name: str, picture: bytes, text: str) -> None:
        """Send a picture with words, in one message."""

    @abstractmethod
    def seen(self) -> list[Seen]:
        """The bot's whole messages, in order."""

    @abstractmethod
    def press(self, message: str, label: str) -> None:
        """Press a button."""

    def choose(self, message: str, label: str, number: int) -> None:
        """Take an option in the way that the platform has for it."""
        if self.buttons:
            self.press(message, label)
        else:
            self.say(str(number))

    def change(self, message: str, arguments: str) -> None:
        """Give other arguments: in words where the platform has no form for it."""
        self.say(f"edit {arguments}")

    @abstractmethod
    def told(self) -> tuple[str, ...]:
        """What popped up when they had pressed buttons."""

    @abstractmethod
    def wait(self, condition: Callable[[], object]) -> None:
        """Return when the condition holds. Raises TimeoutError."""

    def sees(self, words: str, after: int = 0) -> Seen:
        """Wait for a message with these words among those after the first `after`."""

        def found() -> list[Seen]:
            return [each for each in self.seen()[after:] if words in each[1]]

        try:
            self.wait(found)
        except TimeoutError as error:
            raise AssertionError(f"no {words!r} in {[text for _, text, _ in self.seen()]}") from error
        return found()[-1]
