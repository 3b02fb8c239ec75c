"""What a turn has to know before it begins, in one look at the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from parley.core.inbound.batching import QueuedMessage
from parley.core.model.address import account_key
from parley.core.services import CoreServices
from parley.core.state.conversations import LoadedConversation, conversation_document_key, decode_conversation
from parley.core.state.people import (
    account_document_key,
    decode_person,
    decode_person_id,
    person_document_key,
)


@dataclass(frozen=True, slots=True)
class TurnContext:
    """A burst whose senders' languages are known, its conversation as it was seen, and who wrote first."""

    burst: tuple[QueuedMessage, ...]
    seen: LoadedConversation
    person: str


async def load_turn_context(services: CoreServices, burst: Sequence[QueuedMessage]) -> TurnContext:
    """Look at a burst's conversation and people. Raises StoreUnavailable."""
    place = conversation_document_key(burst[0].message.conversation)
    accounts = dict.fromkeys(account_key(accepted.message.sender) for accepted in burst)
    # Nearly every account is a person of its own, whose record has its name.
    keys = (place, *map(account_document_key, accounts), *map(person_document_key, accounts))
    found = {document.key: document for document in await services.journal.get_all(keys)}
    persons = {
        account: decode_person_id(found[account_document_key(account)], account) for account in accounts
    }
    linked = [key for person in persons.values() if (key := person_document_key(person)) not in found]
    if linked:
        found.update((document.key, document) for document in await services.journal.get_all(linked))

    def known(accepted: QueuedMessage) -> QueuedMessage:
        person = persons[account_key(accepted.message.sender)]
        chosen = decode_person(found[person_document_key(person)]).language
        return replace(accepted, message=services.with_language(accepted.message, chosen))

    first = persons[account_key(burst[0].message.sender)]
    return TurnContext(tuple(map(known, burst)), (decode_conversation(found[place]), found[place]), first)
