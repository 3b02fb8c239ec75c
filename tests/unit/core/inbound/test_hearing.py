"""Which messages that are not for us are kept to be read above a later one."""

from dataclasses import replace
from pathlib import Path

import pytest

from parley.core.inbound.hearing import is_worth_keeping
from parley.core.model.address import Conversation, User
from parley.core.model.options import ChannelOptions, ChatOptions, ContextOptions, ContextPeople, ContextScope
from parley.core.model.types import InboundMessage, SessionSettings
from parley.core.state.heard_messages import HEARD_PREFIX
from tests.kit.doubles.core import core, default_options, message

ON = ChannelOptions(
    SessionSettings("agent"), allowed_users=frozenset({"ann"}), earlier=ContextOptions(ContextScope.THREAD)
)
EVERYONE = replace(ON, earlier=replace(ON.earlier, people=ContextPeople.EVERYONE))
EVE = User("test", "eve", "Eve")


def heard(text: str = "lunch?", **more: object) -> InboundMessage:
    return message(text, **({"addressed": False, "private": False} | more))


@pytest.mark.parametrize(
    ("options", "said", "kept"),
    [
        (ON, heard(), True),
        (replace(ON, earlier=ContextOptions()), heard(), False),
        (ON, heard(private=True), False),
        (ON, heard(" "), False),
        (ON, heard("/status"), False),
        (ON, heard(sender=EVE), False),
        (EVERYONE, heard(sender=EVE), True),
        (EVERYONE, heard(sender=User("test", "*")), False),
    ],
)
def test_what_is_kept(options: ChannelOptions, said: InboundMessage, kept: bool) -> None:
    assert is_worth_keeping(options, said) is kept


def test_a_chat_may_have_its_own_way() -> None:
    own = replace(ON, chats={"chat": ChatOptions(earlier={"scope": ContextScope.OFF})})
    assert not is_worth_keeping(own, heard())


async def test_it_is_on_disk_when_the_platform_is_acknowledged(tmp_path: Path) -> None:
    options = default_options(channels={"test": EVERYONE})
    async with core(tmp_path, options=options, working=False) as parley:
        place = Conversation("test", "team", "7")
        assert not await parley.bus.publish_inbound(heard("a\u202eb", sender=EVE, conversation=place))
    async with core(tmp_path, options=options, working=False) as parley:
        (document,) = await parley.journal.list(HEARD_PREFIX)
        assert document.key == f"{HEARD_PREFIX}test:team:7"
        assert '"text":"ab"' in document.body
