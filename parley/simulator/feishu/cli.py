"""The simulated Feishu for somebody at a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from parley.simulator.feishu.server import FeishuSimulator

_ADVICE = """\
Feishu is simulated at {url}

In config.yaml:
  channels:
    feishu:
      app_id: {app}
      app_secret: {secret}
      domain: {url}

Be {name} and write to the bot, then read what it answered:
  curl {url}/sim/say -d '{{"chat": "{chat}", "by": "{person}", "text": "hello"}}'
  curl {url}/sim/messages -d '{{"chat": "{chat}"}}'
Scan the code that `parley connect feishu --server {url}` shows, by its address:
  curl {url}/sim/scan -d '{{"url": "http...", "by": "{person}"}}'

Ctrl-C ends it.
"""


@contextmanager
def running(port: int = 0) -> Iterator[str]:
    """Simulate Feishu on 127.0.0.1 while entered, with Alice in it; gives how to use it."""
    with FeishuSimulator(port=port) as feishu:
        alice, world = feishu.people.add_person("Alice"), feishu.world
        yield _ADVICE.format(
            url=feishu.url,
            app=world.app_id,
            secret=world.secret,
            name=alice.name,
            chat=alice.chat,
            person=alice.open_id,
        )
