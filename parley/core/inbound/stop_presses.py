"""Presses of stop buttons, from every channel that puts one under its growing answers."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping

from parley.core.inbound.access import may_talk
from parley.core.inbound.turn_queue import BusySignal, busy_signal_item, load_queue
from parley.core.model.options import ChannelOptions
from parley.core.model.questions import Click, stopped_turn
from parley.core.ports.journal import Journal
from parley.core.state.turn_record import TurnStage
from parley.core.texts import Sentence

_UNDER_WAY = (TurnStage.ACCEPTED, TurnStage.RUNNING)


class StopPresses:
    """Takes presses. `turn_id` names the turn that an accepted item begins."""

    def __init__(
        self,
        journal: Journal,
        channels: Mapping[str, ChannelOptions],
        paired: Container[str],
        turn_id: Callable[[int], str],
    ) -> None:
        self._journal, self._channels = journal, channels
        self._paired, self._turn_id = paired, turn_id

    async def submit(self, click: Click) -> Sentence:
        """Have the button's own turn end, durably, and no later one; returns what to tell who pressed.

        Whoever may talk to the bot there may press, as they may say "/stop". Raises StoreUnavailable.
        """
        place, turn = click.conversation, stopped_turn(click)
        if not turn or not may_talk(self._channels[place.channel], click.sender, place, self._paired):
            return Sentence.HOME_REFUSED
        queue = await load_queue(self._journal, place)
        if not queue.items or self._turn_id(queue.items[0].id) != turn or queue.turn.stage not in _UNDER_WAY:
            return Sentence.STOP_NOTHING
        signal = BusySignal(queue.messages[0].message, stops=True, turn=turn)
        await self._journal.put(busy_signal_item(signal, f"{place.channel}:{click.id}"))
        return Sentence.STOP_DONE
