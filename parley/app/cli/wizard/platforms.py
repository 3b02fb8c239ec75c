"""Which chat platforms, and the credentials of their apps: checked before they are kept."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from parley.app.cli.wizard.prompts import InputEnded, TerminalPrompts, as_number
from parley.app.cli.wizard.qr_code import register_here
from parley.app.settings.channel_registry import (
    channel_config,
    channel_registration,
    credential_channels,
    registering_channels,
)
from parley.app.setup.draft import Draft, variable_name
from parley.app.setup.guides import read_guide
from parley.app.setup.probes import SetupProbe, probe_channel
from parley.core.model.errors import ParleyError
from parley.core.texts import SetupSentence as S


@dataclass(frozen=True, slots=True)
class PlatformSteps:
    """Asks for one platform after another. With `server` that takes the place of the platforms."""

    prompts: TerminalPrompts
    server: str = ""
    checks: bool = True

    def run(self, draft: Draft) -> tuple[Draft, tuple[str, ...]]:
        """Return the draft with the platforms that were set up, and their names. Raises InputEnded."""
        done: list[str] = []
        while channel := self._choose(draft):
            try:
                changed = self._set_up(draft, channel)
            except InputEnded:
                raise
            except ParleyError as error:
                self.prompts.say(S.CHANNEL_REFUSED, problem=error.user_text)
                continue
            if changed is not None:
                draft = changed
                done = [*(each for each in done if each != channel), channel]
        return draft, tuple(done)

    def _choose(self, draft: Draft) -> str:
        """Return the platform that is asked for, "" for no more."""
        channels, on = credential_channels(), draft.loaded().channels
        print()
        self.prompts.say(S.CHANNEL_LIST)
        for number, name in enumerate(channels, 1):
            how = S.CHANNEL_BY_QR if name in registering_channels() else S.CHANNEL_BY_HAND
            told = self.prompts.text(S.CHANNEL_IS_ON if name in on else how)
            print(f"  {number}. {name:9} {told}")
        while True:
            answer = self.prompts.ask(self.prompts.text(S.CHANNEL_ASK)).lower()
            if answer in ("", *channels):
                return answer
            if (position := as_number(answer, len(channels))) is not None:
                return channels[position]
            self.prompts.refuse(answer)

    def _set_up(self, draft: Draft, channel: str) -> Draft | None:
        """Return the draft with the platform; None where it is left out. Raises ParleyError."""
        if channel in draft.loaded().channels:
            question = self.prompts.text(S.CHANNEL_REPLACE, channel=channel)
            if not self.prompts.confirm(question, default=False):
                return draft
        while True:
            changed = draft.add_channel(channel, self._keys(draft, channel), self.server)
            if not self.checks:
                return changed
            if self.check(changed, channel).works:
                return changed
            ways = (S.CHANNEL_TYPE_AGAIN, S.CHANNEL_KEEP_REFUSED, S.CHANNEL_LEAVE_OUT)
            options = [self.prompts.text(each) for each in ways]
            way = ways[self.prompts.choose(self.prompts.text(S.CHANNEL_REFUSED_ASK), options)]
            if way is not S.CHANNEL_TYPE_AGAIN:
                return changed if way is S.CHANNEL_KEEP_REFUSED else None

    def check(self, draft: Draft, channel: str) -> SetupProbe:
        """Ask the platform, and say what it says; again, as long as rights are added."""
        while True:
            self.prompts.say(S.CHANNEL_CHECKING, channel=channel)
            found = asyncio.run(probe_channel(draft, channel))
            report_probe(self.prompts, found, channel)
            if not (found.works and found.problems):
                return found
            if not self.prompts.confirm(self.prompts.text(S.CHANNEL_LACKS_ASK), default=False):
                return found

    def _keys(self, draft: Draft, channel: str) -> Mapping[str, str]:
        """Return the credentials: by a QR code, out of the environment, or as they are typed."""
        names = {key: variable_name(channel, key) for key in channel_config(channel)().credentials()}
        given = {key: draft.environ[name] for key, name in names.items() if draft.environ.get(name)}
        if given:
            self.prompts.say(S.CHANNEL_ENVIRONMENT, names=", ".join(names[key] for key in given))
        elif channel in registering_channels():
            options = [self.prompts.text(S.CHANNEL_BY_QR), self.prompts.text(S.CHANNEL_BY_HAND)]
            if self.prompts.choose(self.prompts.text(S.CHANNEL_HOW), options) == 0:
                register = channel_registration(channel)
                return asyncio.run(register_here(register, self.prompts, self.server)).keys
        if len(given) < len(names):
            for number, step in enumerate(read_guide(channel, self.prompts.language).steps, 1):
                print(f"  {number}. {step}")
        return given | {key: self._typed(name) for key, name in names.items() if key not in given}

    def _typed(self, name: str) -> str:
        while not (value := self.prompts.secret(name)):
            pass
        return value


def report_probe(prompts: TerminalPrompts, found: SetupProbe, channel: str) -> None:
    """Print what a platform said, and where a right that is missing is added."""
    if found.works:
        connected = S.CHANNEL_CONNECTED if found.found else S.CHANNEL_CONNECTED_NAMELESS
        prompts.say(connected, found=found.found)
    for problem in found.problems:
        prompts.say(S.CHANNEL_LACKS if found.works else S.CHANNEL_REFUSED, problem=problem)
    rights = read_guide(channel, prompts.language).rights
    if found.works and found.problems and rights:
        print(f"  {rights}")
