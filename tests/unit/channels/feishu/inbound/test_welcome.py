"""A welcome where the bot is new: once for each person and each group, and stored before it is said."""

from dataclasses import replace

import pytest

from parley.channels.feishu.channel import create
from parley.channels.feishu.config import DOMAINS, Config
from parley.core.model.errors import StoreUnavailable
from parley.core.ports.channel import ChannelServices
from parley.core.ports.no_core import no_rules
from parley.core.texts import Sentence, say
from parley.simulator.feishu import FeishuSimulator
from tests.kit.doubles.web import MemoryDocuments
from tests.kit.platforms.feishu_channel import QUICK, KeepingInbox, World, listening, make_channel

PRIVATE = say("en", Sentence.PRIVATE_WELCOME)
GROUP = say("en", Sentence.GROUP_WELCOME, mention="@Parley")


class Failing(MemoryDocuments):
    """Is away at first."""

    tries = 0

    async def set(self, document):
        self.tries += 1
        if self.tries == 1:
            raise StoreUnavailable("the disk is full")
        return await super().set(document)


def channel(world, documents=None, rules=None, **more):
    settings = {"app_id": world.sim.world.app_id, "app_secret": world.sim.world.secret}
    services = ChannelServices(documents or MemoryDocuments(), world.folder, ())
    if rules is not None:
        services = ChannelServices(services.documents, world.folder, (), rules=rules)
    return create(Config(**{**settings, "domain": world.sim.url, **more}), services)


async def test_who_opens_the_chat_first_is_welcomed_once(world):
    made = channel(world)
    for _ in range(2):
        async with listening(made, KeepingInbox()):
            world.people.enter(world.ann.chat, world.ann.open_id)
            await world.until(lambda: world.answers() == [PRIVATE])
            await world.until(lambda: world.people.unacknowledged() == 0)
    async with (
        listening(made, KeepingInbox()) as _,
        listening(world.another_channel(welcome=False), KeepingInbox()),
    ):
        bob = world.people.add_person("Bob")
        world.people.say(bob.chat, bob.open_id, "hello")
        world.people.enter(bob.chat, bob.open_id)
        await world.until(lambda: world.people.unacknowledged() == 0)
    assert world.answers() == [PRIVATE]
    assert world.answers(bob.chat) == []


async def test_a_group_is_welcomed_each_time_that_the_bot_comes_and_not_for_copies(world):
    chat = world.group()
    world.faults.copies = 2
    async with listening(channel(world), KeepingInbox()):
        world.people.add_bot(chat, world.ann.open_id)
        await world.until(lambda: world.answers(chat) == [GROUP])
        world.people.redeliver()
        await world.until(lambda: world.people.unacknowledged() == 0)
        world.people.remove_bot(chat)
        world.people.add_bot(chat, world.ann.open_id)
        await world.until(lambda: world.answers(chat) == [GROUP, GROUP])


async def test_it_is_stored_before_it_is_said(world):
    documents = Failing()
    async with listening(channel(world, documents), KeepingInbox()):
        world.people.enter(world.ann.chat, world.ann.open_id)
        await world.until(lambda: world.answers() == [PRIVATE])
    assert documents.tries == 2


async def test_people_who_may_not_talk_and_foreign_groups_are_not_welcomed(world):
    bob, eve = world.people.add_person("Bob"), world.people.add_person("Eve", tenant="another")
    chat = world.group()
    async with listening(channel(world, allowed_users=[bob.open_id]), KeepingInbox()):
        world.people.enter(world.ann.chat, world.ann.open_id)
        world.people.add_bot(chat, eve.open_id)
        world.people.enter(bob.chat, bob.open_id)
        await world.until(lambda: world.answers(bob.chat) == [PRIVATE])
    assert world.answers() == []
    assert world.answers(chat) == []


async def test_what_feishu_refuses_is_in_nobodys_way(world):
    inbox = KeepingInbox()
    world.faults.refuse_next(["send"], 230013)
    async with listening(channel(world), inbox):
        world.people.enter(world.ann.chat, world.ann.open_id)
        await world.until(lambda: world.count("send"))
        world.say("hello")
        await inbox.first()
    assert world.answers() == []


async def test_with_the_setting_off_nothing_is_said_and_no_scope_is_wanted(world):
    world.sim.world.denied |= {"im:chat.members:bot_access", "im:chat.access_event.bot_p2p_chat:read"}
    assert len((await channel(world).preflight()).lacking) == 2
    assert world.people.enter(world.ann.chat, world.ann.open_id) == ""
    world.sim.world.denied.clear()
    made = channel(world, welcome=False)
    assert (await made.preflight()).lacking == ()
    async with listening(made, KeepingInbox()):
        world.people.enter(world.ann.chat, world.ann.open_id)
        await world.until(lambda: world.people.unacknowledged() == 0)
    assert world.answers() == []


@pytest.mark.parametrize(
    ("domain", "language", "said"), [("feishu", "", "zh"), ("lark", "", "en"), ("feishu", "en", "en")]
)
async def test_it_is_said_in_the_language_of_the_place(tmp_path, domain, language, said):
    with FeishuSimulator(timing=QUICK) as sim:
        world = World(sim, sim.people.add_person("Ann"), make_channel(sim, tmp_path), tmp_path)
        made = channel(world, rules=lambda place: replace(no_rules(place), language=language))
        # As if it were there.
        made._config = made._config.model_copy(update={"domain": DOMAINS[domain]})
        async with listening(made, KeepingInbox()):
            world.people.enter(world.ann.chat, world.ann.open_id)
            await world.until(lambda: world.answers() == [say(said, Sentence.PRIVATE_WELCOME)])


async def test_strange_arrivals_are_skipped(world):
    kind = b"im.chat.member.bot.added_v1"
    async with listening(channel(world), KeepingInbox()):
        for payload in (
            kind,
            b'{"header": {"event_type": "%s"}}' % kind,
            b'{"header": {"event_type": "%s", "event_id": "1"}, "event": {"chat_id": "../x"}}' % kind,
        ):
            world.people.inject(payload)
        await world.until(lambda: world.people.unacknowledged() == 0)
    assert world.count("send") == 0
