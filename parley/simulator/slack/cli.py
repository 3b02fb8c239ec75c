"""`python -m parley.simulator slack`: what it prints, and for how long it stands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from parley.simulator.slack.server import SlackSimulator

_HELP = """\
Slack is simulated at {root}

In config.yaml:
  channels:
    slack:
      bot_token: "{bot}"
      app_token: "{app}"
      api_url: {api}

Be {name} and write to the app, then read what it answered:
  curl {root}/sim/say -d '{{"chat": "{dm}", "by": "{person}", "text": "hello"}}'
  curl {root}/sim/answers -d '{{"chat": "{dm}"}}'
Or mention it in #{channel}:
  curl {root}/sim/say -d '{{"chat": "{room}", "by": "{person}", "text": "@{handle} hello"}}'
  curl {root}/sim/answers -d '{{"chat": "{room}"}}'

To have events posted to your Parley instead (Slack retries at once, after a minute, after five):
  channels:
    slack:
      events: http
      bot_token: "{bot}"
      signing_secret: "{secret}"
      api_url: {api}
and once Parley is up:
  curl {root}/sim/post_to -d '{{"url": "http://127.0.0.1:8765/hooks/slack"}}'

Ctrl-C ends it.
"""


@contextmanager
def running(port: int) -> Iterator[str]:
    """Simulate Slack with one person and one channel for as long as it is entered; gives what to say."""
    with SlackSimulator(port=port) as slack:
        alice = slack.people.add_person("Alice")
        room = slack.people.add_channel("general", [alice.id])
        yield _HELP.format(
            root=slack.world.base_url,
            api=slack.api_url,
            bot=slack.bot_token,
            app=slack.app_token,
            secret=slack.signing_secret,
            name=alice.name,
            person=alice.id,
            dm=alice.dm,
            channel="general",
            room=room,
            handle=slack.handle,
        )
