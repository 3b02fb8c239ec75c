"""Who is the first administrator: whoever writes to the bot, and says in the terminal that it was them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from parley.app.cli.wizard.prompts import TerminalPrompts
from parley.app.setup.draft import Draft
from parley.app.setup.first_message import receive_first_message
from parley.app.setup.guides import read_guide
from parley.app.setup.waiting import person_name
from parley.core.model.sanitize import sanitize_text
from parley.core.model.types import InboundMessage
from parley.core.texts import SetupSentence as S

_SHOWN = 80


@dataclass(frozen=True, slots=True)
class AdminSteps:
    """Waits for a message to each new bot."""

    prompts: TerminalPrompts

    def run(self, draft: Draft, channels: Sequence[str]) -> tuple[Draft, list[InboundMessage]]:
        """Return the draft with the administrators, and their messages, which wait for an answer."""
        messages = []
        for channel in channels:
            if draft.loaded().channels[channel].admins:
                continue
            print()
            if not self.prompts.confirm(self.prompts.text(S.ADMIN_ASK, channel=channel)):
                self.prompts.say(S.ADMIN_LATER)
                continue
            message = self._first(draft, channel)
            draft = draft.add_admin(channel, message.sender.id)
            named = {"name": person_name(message), "user": message.sender.id}
            self.prompts.say(S.ADMIN_DONE, channel=channel, **named)
            messages.append(message)
        return draft, messages

    def _first(self, draft: Draft, channel: str) -> InboundMessage:
        def ready() -> None:
            print(read_guide(channel, self.prompts.language).greet)
            self.prompts.say(S.ADMIN_WAITING)

        declined: set[str] = set()
        while True:
            message = asyncio.run(receive_first_message(draft.loaded(), channel, ready, declined))
            words = sanitize_text(message.text[:_SHOWN]).replace("\n", " ")
            shown = {"name": person_name(message), "user": message.sender.id, "text": words}
            if self.prompts.confirm(self.prompts.text(S.ADMIN_WHO, **shown)):
                return message
            declined.add(message.id)
