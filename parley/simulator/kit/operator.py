"""Who does in a simulated platform what `parley check --live` asks the operator of a real one to do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from parley.simulator.kit.json_values import Json


class SimulatedOperator(ABC):
    """One person of a simulator that stands already, with a private chat and a group."""

    @property
    @abstractmethod
    def settings(self) -> Mapping[str, Json]:
        """Return the platform's section of `config.yaml`."""

    def act(self, step: str, texts: Sequence[str]) -> None:
        """Do what a step of the walk asks for, with these words. May be called from any thread.

        Raises LookupError where the platform does not show what is needed for it.
        """
        if step == "thread":
            self.reply(texts[0])
        elif step == "mention":
            self.mention(texts[0])
        elif step == "file":
            self.send_file(texts[0])
        elif step == "button":
            self.press()
        elif step == "forward":
            self.forward(texts[0])
        else:
            for text in texts:
                self.say(text)

    @abstractmethod
    def say(self, text: str) -> None:
        """Write to the bot in private."""

    @abstractmethod
    def reply(self, text: str) -> None:
        """Reply to the bot's last answer."""

    @abstractmethod
    def mention(self, text: str) -> None:
        """Mention the bot in the group."""

    @abstractmethod
    def send_file(self, text: str) -> None:
        """Send the bot a small file in private, with the words where the platform has such."""

    @abstractmethod
    def press(self) -> None:
        """Press the first button under the bot's last question."""

    @abstractmethod
    def forward(self, text: str) -> None:
        """Forward a message of somebody else to the bot."""
