"""The simulated DingTalk for somebody at a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from parley.simulator.dingtalk.server import DingTalkSimulator

_ADVICE = """\
DingTalk is simulated at {url}

In config.yaml:
  channels:
    dingtalk:
      client_id: "{client_id}"
      client_secret: "{secret}"
      card_template_id: "{template}"   # off for plain messages
      question_template_id: "{questions}"   # leave out for questions without buttons
      api_url: {url}
      oapi_url: {url}
      allowed_users: ["*"]

Be {name} and write to the robot, then read what it answered:
  curl {url}/sim/say -d '{{"place": "{person}", "by": "{person}", "text": "hello"}}'
  curl {url}/sim/messages -d '{{"place": "{person}"}}'
Press a button that is shown there:
  curl {url}/sim/press -d '{{"place": "{person}", "by": "{person}", "message": "pqk...", "label": "Approve"}}'
Scan the code that `parley connect dingtalk --server {url}` shows, by its address:
  curl {url}/sim/scan -d '{{"url": "http...", "by": "{person}"}}'

Ctrl-C ends it.
"""


@contextmanager
def running(port: int = 0) -> Iterator[str]:
    """Simulate DingTalk with one person in it while entered, on 127.0.0.1; gives what to do with it."""
    with DingTalkSimulator(port=port) as dingtalk:
        alice = dingtalk.people.add_person("Alice")
        yield _ADVICE.format(
            url=dingtalk.url,
            client_id=dingtalk.client_id,
            secret=dingtalk.client_secret,
            template=dingtalk.template,
            questions=dingtalk.question_template,
            person=alice.id,
            name=alice.name,
        )
