"""The home tab: a person's own affairs, for them only, and nothing in it is more than words."""

import aiohttp

from parley.channels.slack.inbound.app_home import home_view
from parley.core.model.errors import MemoryFailed
from parley.core.ports.channel import PersonOverview
from tests.kit.platforms.slack_channel import KeepingInbox, listening

HOSTILE = "*bold* <!channel> <https://evil.example|bank> `x`"


class TellingInbox(KeepingInbox):
    """Knows something about everybody, or fails to."""

    def __init__(self, overview: PersonOverview | None) -> None:
        super().__init__()
        self.known = overview
        self.asked: list[tuple[str, str]] = []
        self.fails = 0

    async def overview(self, user, chat):
        self.asked.append((user.id, chat.chat))
        if self.fails:
            self.fails -= 1
            raise MemoryFailed("the disk is full")
        return self.known


async def opened(world, inbox) -> str:
    async with listening(world.channel(), inbox):
        world.people.open_home(world.alice.id, "home")
        await world.until(lambda: world.people.home(world.alice.id))
    return "\n".join(world.people.home(world.alice.id))


async def test_it_shows_what_is_known_of_its_person_as_it_was_written(world):
    facts, questions = ("likes cake", HOSTILE), ("Delete it?",)
    inbox = TellingInbox(PersonOverview("en", True, ("An engineer.",), facts, 3, questions))
    shown = await opened(world, inbox)
    assert inbox.asked == [(world.alice.id, world.alice.dm)]
    assert all(text in shown for text in ("An engineer.", "likes cake", HOSTILE, "Delete it?", "3 more"))


async def test_where_nothing_is_known_it_says_so(world):
    shown = await opened(world, TellingInbox(PersonOverview("zh", True)))
    assert "还没有" in shown


async def test_it_says_whether_the_agent_can_be_reached(world):
    assert "can be reached" in await opened(world, TellingInbox(PersonOverview("en")))


async def test_while_the_agent_is_away_it_says_what_becomes_of_a_message(world):
    shown = await opened(world, TellingInbox(PersonOverview("en", reachable=False)))
    assert "cannot be reached" in shown
    assert "kept" in shown


async def test_whoever_may_not_talk_reads_only_that(world):
    assert "not among the people" in await opened(world, TellingInbox(None))


async def test_a_core_that_tells_nothing_is_no_fault(world):
    assert "not among the people" in await opened(world, KeepingInbox())


async def test_a_guest_is_told_nothing(world):
    inbox, gus = (
        TellingInbox(PersonOverview("en", True, (), ("a secret",))),
        world.people.add_person("Gus", guest="one"),
    )
    async with listening(world.channel(), inbox):
        world.people.open_home(gus.id, "home")
        await world.until(lambda: world.people.home(gus.id))
    assert inbox.asked == []
    assert "secret" not in "".join(world.people.home(gus.id))


async def test_what_cannot_be_read_now_is_shown_the_next_time(world):
    inbox = TellingInbox(PersonOverview("en", True, (), ("likes cake",)))
    inbox.fails = 1
    async with listening(world.channel(), inbox):
        world.people.open_home(world.alice.id, "home")
        await world.until(lambda: inbox.asked)
        assert world.people.home(world.alice.id) == ()
        world.people.open_home(world.alice.id, "home")
        await world.until(lambda: world.people.home(world.alice.id))


def test_it_stays_within_slacks_limits():
    long = tuple("x" * 50_000 for _ in range(50))
    view = home_view(PersonOverview("en", False, long, long[:10], 1, long[:5]))
    blocks = view["blocks"]
    assert isinstance(blocks, list)
    assert len(blocks) <= 100
    assert len(str(view)) < 50_000


async def test_it_is_opened_over_http_too(world):
    inbox = TellingInbox(None)
    async with listening(world.channel(), inbox), aiohttp.ClientSession() as session:
        base = world.sim.api_url.removesuffix("/api/")
        opening = {"by": world.alice.id, "tab": "home"}
        async with session.post(f"{base}/sim/open_home", json=opening) as answer:
            assert await answer.json() == {"result": None}
        await world.until(lambda: world.people.home(world.alice.id))
