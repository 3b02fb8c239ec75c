"""Whose data: one person with all accounts."""

from __future__ import annotations

import json
from dataclasses import dataclass

from parley.core.model.address import Conversation, User, account_key
from parley.core.state.people import PersonRepository


@dataclass(frozen=True, slots=True)
class DataSubject:
    """A person by our id, and the keys of their accounts."""

    person: str
    accounts: tuple[str, ...]

    @property
    def users(self) -> tuple[User, ...]:
        """Return the accounts as the platforms know them."""
        places = (Conversation.parse(account) for account in self.accounts)
        return tuple(User(place.channel, place.chat) for place in places)

    @property
    def words(self) -> tuple[str, ...]:
        """Return what the bodies of items have of whoever wrote them, or whose opinion is in them.

        A quote in a text is escaped there.
        """
        users = (f'"channel":{_quoted(user.channel)},"id":{_quoted(user.id)}' for user in self.users)
        return (*users, *(f'"account":{_quoted(account)}' for account in self.accounts))

    def is_one(self, user: User) -> bool:
        """Return whether this account is theirs."""
        return account_key(user) in self.accounts


async def find_data_subject(people: PersonRepository, name: str) -> DataSubject:
    """Return the person of a name: their id, or the key of any of their accounts.

    Raises ValueError for what is neither, StoreUnavailable.
    """
    place = Conversation.parse(name)
    if place.topic is not None or not place.channel or not place.chat:
        raise ValueError(f"not an account: {name!r}")
    return DataSubject(*await people.load_merged(name))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
