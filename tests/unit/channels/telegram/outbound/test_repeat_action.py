"""An action that is repeated in the background ends with the turn that it belongs to."""

import asyncio

from parley.channels.telegram.outbound.repeat_action import RepeatedAction
from parley.core.model.errors import ChannelUnavailable, LaneLost
from tests.kit.machine import patience


async def test_it_ends_without_an_error_where_the_turn_is_another_nodes():
    outcomes = [ChannelUnavailable("away"), None, LaneLost("this node cannot prove its lease")]
    reported: list[dict[str, object]] = []
    done = asyncio.Event()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))

    async def act() -> None:
        outcome = outcomes.pop(0)
        if not outcomes:
            done.set()
        if outcome is not None:
            raise outcome

    action = RepeatedAction()
    action.start(0.01, act)
    async with asyncio.timeout(patience(5)):
        await done.wait()
    await asyncio.sleep(0.05)
    assert not outcomes, "it is not repeated any more"
    await action.stop()
    del action
    assert reported == []
