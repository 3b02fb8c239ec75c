"""Questions that people take back."""

from parley.channels.feishu.channel import create
from parley.channels.feishu.config import Config
from parley.channels.feishu.inbound.recalled_messages import RecalledMessages
from parley.core.model.errors import StoreUnavailable
from parley.core.ports.channel import ChannelServices
from tests.kit.doubles.no_documents import NoDocuments
from tests.kit.platforms.feishu_channel import KeepingInbox, listening


def recalling(world, recall):
    settings = {
        "app_id": world.sim.world.app_id,
        "app_secret": world.sim.world.secret,
        "domain": world.sim.url,
    }
    return create(Config(**settings), ChannelServices(NoDocuments(), world.folder, (), recall=recall))


async def test_the_core_is_told_what_was_taken_back_and_where(world):
    recalled, inbox = [], KeepingInbox()

    async def recall(conversation, message):
        recalled.append((conversation.key, message))

    async with listening(recalling(world, recall), inbox):
        chat = world.group()
        opening = world.say("topic", chat)
        inside = world.say("@Parley help", chat, reply_to=opening, in_thread=True)
        (_, heard) = await inbox.first(2)
        world.people.recall(inside)
        private = world.say("hello")
        await inbox.first(3)
        world.people.recall(private)
        await world.until(lambda: len(recalled) == 2)
    assert recalled == [(heard.conversation.key, inside), (f"feishu:{world.ann.chat}", private)]


async def test_a_recall_comes_again_while_the_store_is_away(world):
    tries = []

    async def recall(conversation, message):
        tries.append(message)
        if len(tries) == 1:
            raise StoreUnavailable("the disk is full")

    async with listening(recalling(world, recall), KeepingInbox()):
        number = world.say("hello")
        world.people.recall(number)
        await world.until(lambda: world.people.unacknowledged() == 0)
    assert tries == [number, number]


async def test_strange_recalls_are_skipped():
    async def recall(conversation, message):
        raise AssertionError

    for payload in (
        b"im.message.recalled_v1",
        b'{"header": {"event_type": "im.message.recalled_v1"}}',
        b'{"header": {"event_type": "im.message.recalled_v1"}, "event": {"message_id": "../x"}}',
    ):
        assert await RecalledMessages(recall).take(payload) is True
    assert await RecalledMessages(recall).take(b'{"header": {"event_type": "other"}}') is None
