"""Erasing a person: step by step, each of which may be done again; what says who they are goes last."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

from parley.core.commands.worker import REFUSAL_PREFIX
from parley.core.model.errors import AgentError, PersonBusy
from parley.core.ports.journal import iter_documents
from parley.core.ports.store_admin import StoredItem
from parley.core.privacy import erasure_state, questions, queue_items
from parley.core.privacy.conversations import (
    PersonConversation,
    list_conversations,
    thread_ids,
    without_data_subject,
    without_words,
)
from parley.core.privacy.counters import counter_prefixes
from parley.core.privacy.erasure_state import ErasureState
from parley.core.privacy.heard import erase_heard
from parley.core.privacy.report import DataKind, PrivacyReport, PrivacyReportBuilder
from parley.core.privacy.sent import erase_sent
from parley.core.privacy.sources import AuditOnErase, DataSources
from parley.core.state.conversations import ConversationRecord
from parley.core.state.feedback import FEEDBACK_PREFIX, feedback_of_accounts

_LOOK_EVERY = 0.25
_COUNTS_AT_ONCE = 2000  # prefixes of their names, in one transaction

_KEPT = (
    "What was written on the chat platforms: it is theirs; delete it there.",
    "Ids of messages without any words (retention.names_days): one that is delivered again is known by them.",
    "Log files, backups and exports: Parley does not know where they are.",
    "Deleted text may be readable in the database's files until its space is used again: docs/retention.md.",
)
_MEMORY_KEPT = (
    "Of a memory: whether it was off, when and how often it was cleared, so that nothing comes back."
)
_OTHER_NODES = "Files of their turns in the folders of other nodes: those go after retention.files_days."
_TOLD = "What {} heard of their opinions on answers: delete it there."
_AUDIT_KEPT = "The audit record, as retention.audit_on_erase says: keep."


class Erasure:
    """One person's. `run` goes on where an earlier call ended; every method raises StoreUnavailable."""

    def __init__(self, sources: DataSources, begun: ErasureState, *, again: bool) -> None:
        self._sources = sources
        self._archive = sources.archive
        self._plan = begun
        self._again = again
        self._subject = begun.subject
        self._ledger = PrivacyReportBuilder()
        self._ledger.counts.update(begun.counts())

    async def run(self) -> PrivacyReport:
        """Erase everything, and say what it was. Raises PersonBusy, and MemoryFailed."""
        await self._wait()
        await erasure_state.save_erasure_state(self._archive, self._plan)
        talk = (self._questions, self._talks, self._heard)
        steps = (self._memory, self._work, *talk, self._audit, self._rest, self._who)
        for step in steps:
            await step()
            await self._checkpoint()
        for reason in (*_KEPT, *((_OTHER_NODES,) if self._sources.shared else ())):
            self._ledger.keep(reason)
        if self._sources.told:
            self._ledger.keep(_TOLD.format(", ".join(self._sources.told)))
        if not self._ledger.unfinished:
            await erasure_state.delete_erasure_state(self._archive, self._plan)
        return PrivacyReport(
            self._subject.person,
            self._subject.accounts,
            self._sources.clock(),
            self._ledger.done(),
            tuple(self._ledger.kept),
            self._plan.begun if self._again else 0.0,
            self._ledger.unfinished,
        )

    async def _checkpoint(self, private: Iterable[str] = (), shared: Iterable[str] = ()) -> None:
        done = tuple(count for count in self._ledger.done() if count.number)
        changed = replace(
            self._plan,
            done=done,
            private=_union(self._plan.private, private),
            shared=_union(self._plan.shared, shared),
        )
        if changed != self._plan:
            self._plan = changed
            await erasure_state.save_erasure_state(self._archive, changed)

    async def _wait(self) -> None:
        """Until none of their turns is under way. Raises PersonBusy."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._sources.patience
        while number := await queue_items.count_in_progress(self._archive, self._subject):
            if loop.time() > until:
                raise PersonBusy(
                    f"{number} message(s) of this person are being answered at this moment: end that with "
                    "/stop there, or try again later."
                )
            await asyncio.sleep(_LOOK_EVERY)

    async def _memory(self) -> None:
        person = self._subject.person
        self._ledger.add(DataKind.PAST_TURNS, await self._sources.past_turns.erase(person))
        self._ledger.add(DataKind.FACTS, await self._sources.memory.clear(person))
        teams, accounts = self._sources.team_chats, self._subject.accounts
        for team in await teams.teams_of(accounts):
            gone = await self._sources.memory_controls.withdraw(team, accounts)
            self._ledger.add(DataKind.TEAM_FACTS, gone)
        for account in accounts:
            await teams.forget_speaker(account)
        self._ledger.keep(_MEMORY_KEPT)

    async def _work(self) -> None:
        """Erase messages and turns, their files first: nothing else tells whose those are."""
        left = True
        while left:
            left = False
            async for items in queue_items.iter_items(self._archive, self._subject):
                left = await self._remove(items) or left
            if left:
                await self._wait()

    async def _remove(self, items: Sequence[StoredItem]) -> bool:
        """Return whether any of them had to stay, as somebody works it now."""
        of = [kept.item for kept in items]
        await self._checkpoint(
            map(queue_items.private_conversation, of), map(queue_items.shared_conversation, of)
        )
        root, conversations = self._sources.files, self._sources.conversations
        folders = [folder for item in of for folder in queue_items.item_folders(conversations, root, item)]
        self._ledger.add(DataKind.FILES, await queue_items.remove_folders(folders))
        gone = await self._archive.remove([item.id for item in of])
        self._ledger.add(DataKind.MESSAGES, len(gone))
        await self._checkpoint()
        return len(gone) < len(of)

    async def _questions(self) -> None:
        async for record, document in questions.list_questions(self._archive, self._subject):
            folder = self._sources.files / record.question.id
            self._ledger.add(DataKind.FILES, await queue_items.remove_folders([folder]))
            await self._archive.delete(document.key)
            self._ledger.add(DataKind.QUESTIONS)
        self._ledger.add(
            DataKind.DECISIONS, await questions.anonymise_decisions(self._archive, self._subject)
        )

    async def _talks(self) -> None:
        async for talk in list_conversations(self._archive, self._subject, self._plan.private):
            if talk.alone:
                await self._checkpoint(private=[talk.conversation.key])
                await self._end(talk)
            else:
                await self._checkpoint(shared=[talk.conversation.key])
                await self._leave(talk)
        if others := len(self._plan.shared):
            self._ledger.keep(
                f"LangGraph threads of {others} conversation(s) with others: what was said there is not "
                "theirs alone. /new there begins another."
            )

    async def _end(self, talk: PersonConversation) -> None:
        """Delete the threads of a conversation that is theirs alone, and then what finds them."""
        threads = thread_ids(self._sources.conversations, talk)
        for thread in threads:  # also of threads that the server does not know, or cannot be asked for
            self._ledger.add(DataKind.FILES, await self._sources.thread_files.erase(thread))
        try:
            for thread in threads:
                self._ledger.add(DataKind.THREADS, await self._sources.threads.forget(thread))
        except AgentError as error:
            self._ledger.unfinished = True
            self._ledger.keep(f"Threads of {talk.conversation.key}: {error.user_text}")
            await self._write(talk)
            return
        await self._archive.delete(talk.document.key)
        self._ledger.add(DataKind.CONVERSATIONS)

    async def _leave(self, talk: PersonConversation) -> None:
        """Take what is theirs out of the record of a conversation with others."""
        await self._write(talk)
        self._ledger.add(DataKind.SHARES)

    async def _write(self, talk: PersonConversation) -> None:
        """Leave nothing of theirs in the conversation's record, as it is now."""

        def without(record: ConversationRecord) -> ConversationRecord:
            if talk.alone:
                return without_words(record)
            return without_data_subject(talk.conversation, record, self._subject)

        await self._sources.conversations.change(talk.conversation, without)

    async def _heard(self) -> None:
        """Erase what they were heard saying in groups, to others, and answers kept for quotes."""
        self._ledger.add(DataKind.HEARD, await erase_heard(self._archive, self._subject))
        self._ledger.add(DataKind.SENT, await erase_sent(self._archive, self._subject, self._plan.private))

    async def _audit(self) -> None:
        policy = self._sources.audit
        number = await questions.apply_audit_policy(self._archive, self._subject, self._plan.private, policy)
        self._ledger.add(DataKind.AUDIT, number)
        if policy is AuditOnErase.KEEP:
            self._ledger.keep(_AUDIT_KEPT)

    async def _rest(self) -> None:
        """Erase access, counts, and what channels keep by themselves."""
        for account in self._subject.accounts:
            self._ledger.add(DataKind.ACCESS, await self._sources.pairing.forget(account))
            if self._sources.audit is not AuditOnErase.KEEP:
                await self._sources.pairing.anonymise_approver(account, questions.ERASED_ACCOUNT)
            async for document in iter_documents(self._archive, f"{REFUSAL_PREFIX}{account}/"):
                await self._archive.delete(document.key)
                self._ledger.add(DataKind.ACCESS)
        async for document in feedback_of_accounts(self._archive, self._subject.accounts):
            await self._archive.delete(document.key)
            self._ledger.add(DataKind.FEEDBACK, document.key.startswith(FEEDBACK_PREFIX))
        names = counter_prefixes(self._subject, self._plan.private, self._sources.clock())
        while some := tuple(islice(names, _COUNTS_AT_ONCE)):
            self._ledger.add(DataKind.USAGE, await self._archive.uncount(some))
        for channel in self._sources.channels():
            for user in self._subject.users:
                self._ledger.add(DataKind.CHANNELS, await channel.erase(user))

    async def _who(self) -> None:
        """Their links, once nothing is left that they lead to."""
        if not self._ledger.unfinished:
            people, subject = self._sources.people, self._subject
            self._ledger.add(DataKind.LINKS, await people.forget(subject.person, subject.accounts))


def _union(known: tuple[str, ...], more: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*known, *(each for each in more if each))))
