"""What a turn has to know before it begins, in one look at the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from parley.core.bursts import Accepted
from parley.core.conversations import Seen, document_key, record_in
from parley.core.people import account_document, account_key, person_document, person_in, person_record_in
from parley.core.services import Services


@dataclass(frozen=True, slots=True)
class Beginning:
    """A burst whose senders' languages are known, its conversation as it was seen, and who wrote first."""

    burst: tuple[Accepted, ...]
    seen: Seen
    person: str


async def look(services: Services, burst: Sequence[Accepted]) -> Beginning:
    """Look at a burst's conversation and people. Raises StoreUnavailable."""
    place = document_key(burst[0].message.conversation)
    accounts = dict.fromkeys(account_key(accepted.message.sender) for accepted in burst)
    # Nearly every account is a person of its own, whose record has its name.
    keys = (place, *map(account_document, accounts), *map(person_document, accounts))
    found = {document.key: document for document in await services.journal.get_all(keys)}
    persons = {account: person_in(found[account_document(account)], account) for account in accounts}
    linked = [key for person in persons.values() if (key := person_document(person)) not in found]
    if linked:
        found.update((document.key, document) for document in await services.journal.get_all(linked))

    def known(accepted: Accepted) -> Accepted:
        person = persons[account_key(accepted.message.sender)]
        chosen = person_record_in(found[person_document(person)]).language
        return replace(accepted, message=services.speaking(accepted.message, chosen))

    first = persons[account_key(burst[0].message.sender)]
    return Beginning(tuple(map(known, burst)), (record_in(found[place]), found[place]), first)
