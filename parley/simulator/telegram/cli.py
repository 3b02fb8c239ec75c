"""`parley simulate telegram`: a person to be, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from parley.simulator.telegram.server import TelegramSimulator

_HELP = """\
Telegram is simulated at {url}

In config.yaml:
  channels:
    telegram:
      bot_token: "{token}"
      api_url: {url}
      allowed_users: ["{person}"]

Be {name} and write to the bot, then read what it answered:
  curl {url}/sim/say -d '{{"chat": {person}, "by": {person}, "text": "hello"}}'
  curl {url}/sim/answers -d '{{"chat": {person}}}'
Or mention it in a group:
  curl {url}/sim/say -d '{{"chat": {group}, "by": {person}, "text": "@{bot} hello"}}'
  curl {url}/sim/answers -d '{{"chat": {group}}}'

Ctrl-C ends it.
"""


@contextmanager
def running(port: int) -> Iterator[str]:
    """Simulate Telegram with one person and one group for as long as it is entered; gives what to say."""
    with TelegramSimulator(port=port) as telegram:
        alice = telegram.people.add_person("Alice")
        group = telegram.people.add_group("Team", [alice.id])
        yield _HELP.format(
            url=telegram.api_url,
            token=telegram.token,
            name=alice.name,
            person=alice.id,
            group=group,
            bot=telegram.username,
        )
