"""The end of a turn: its items, its record and its conversation change in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bridge.bursts import Accepted
from bridge.codec import encode
from bridge.conversations import ConversationRecord, Seen, written
from bridge.errors import DocumentConflict
from bridge.ports import Claim
from bridge.record import Stage, TurnRecord
from bridge.services import Services


async def finish(
    services: Services,
    claim: Claim,
    burst: Sequence[Accepted],
    turn: TurnRecord,
    settle: Callable[[ConversationRecord], ConversationRecord],
    seen: Seen | None,
) -> None:
    """Finish the burst's items and free the lane. A conversation begun anew meanwhile is left as it is.

    `seen` is the conversation as the turn read it: nearly always it still is so, and then not read again.

    Raises LaneLost, StoreUnavailable.
    """
    items = [accepted.item for accepted in burst]
    conversation = burst[0].message.conversation
    if turn.stage is Stage.REJECTED or turn.broken:
        reason = "handling it broke; see the log" if turn.broken else "the platform refused the answer"
        await services.journal.bury(claim, items, reason)
        return
    while True:
        record, document = seen or await services.conversations.read(conversation)
        still_this_one = turn.thread in ("", services.conversations.thread_id(conversation, record))
        documents = [written(document, settle(record))] if still_this_one else []
        try:
            await services.journal.done(claim, items, note=encode(turn), documents=documents)
        except DocumentConflict:
            seen = None
            continue
        return
