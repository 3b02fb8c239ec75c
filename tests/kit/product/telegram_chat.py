"""People on the simulated Telegram."""

from __future__ import annotations

from dataclasses import dataclass

from parley.simulator.telegram import SeenTelegramMessage, TelegramSimulator, TelegramUpload
from tests.kit.machine import patience
from tests.kit.product.process import PATIENCE

STUB = "…"
"""How a message ends that is not there in full yet."""


def telegram_config(simulator: TelegramSimulator, **more: object) -> dict[str, object]:
    """The section of the configuration for a simulated Telegram where everybody may talk."""
    section: dict[str, object] = {"bot_token": simulator.token, "api_url": simulator.api_url}
    return section | {"allowed_users": ["*"], "burst_window": patience(0.15)} | more


@dataclass(frozen=True)
class Chat:
    """Somebody's view of a chat: private when `person` and `chat` are the same."""

    simulator: TelegramSimulator
    chat: int
    person: int
    topic: int | None = None

    def say(self, text: str, *, mention: bool = False) -> int:
        """Write; returns the message's id."""
        text = f"@{self.simulator.username} {text}" if mention else text
        return self.simulator.people.say(self.chat, self.person, text, topic=self.topic)

    def send(self, *files: TelegramUpload, caption: str = "") -> None:
        """Send files together."""
        self.simulator.people.send_album(self.chat, self.person, files, caption, topic=self.topic)

    def shown(self) -> tuple[SeenTelegramMessage, ...]:
        """What the bot has written here."""
        seen = self.simulator.people.messages(self.chat, self.topic)
        return tuple(message for message in seen if message.from_bot)

    def ask(self, text: str, expected: str, *, mention: bool = False) -> SeenTelegramMessage:
        """Write, and wait for a whole answer with `expected` in it."""
        return self.sees(expected, after=self.say(text, mention=mention))

    def sees(self, expected: str, after: int = 0) -> SeenTelegramMessage:
        """Wait for a whole message of the bot, newer than `after`, with `expected` in it."""

        def found() -> list[SeenTelegramMessage]:
            return [m for m in self.shown() if m.id > after and expected in m.text and not is_stub(m.text)]

        try:
            self.simulator.people.wait(found, PATIENCE)
        except TimeoutError as error:
            raise AssertionError(f"no {expected!r} in {[m.text for m in self.shown()]}") from error
        return found()[-1]

    def draws(self, expected: str) -> None:
        """Wait until the growing answer, as a draft or a message, has `expected` in it."""

        def found() -> bool:
            drafts = [draft.text for draft in self.simulator.people.drafts(self.chat)]
            return any(expected in text for text in (*drafts, *(m.text for m in self.shown())))

        self.simulator.people.wait(found, PATIENCE)


def is_stub(text: str) -> bool:
    """Whether a message of the bot only holds its place."""
    return text.endswith(STUB)
