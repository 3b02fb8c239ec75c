"""Erasing a person: step by step, each of which may be done again; what says who they are goes last."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace

from parley.core.command_work import REFUSED
from parley.core.conversations import written
from parley.core.erasing import asked, plan, work
from parley.core.erasing.archive import Kept
from parley.core.erasing.counts import names_of
from parley.core.erasing.plan import Plan
from parley.core.erasing.report import Kind, Ledger, Report
from parley.core.erasing.sources import AuditOnErase, Sources
from parley.core.erasing.talks import Talk, emptied, scrubbed, talks_of, threads_of
from parley.core.errors import AgentError, DocumentConflict, PersonBusy
from parley.core.journal import every

_LOOK_EVERY = 0.25

_KEPT = (
    "What was written on the chat platforms: it is theirs; delete it there.",
    "Ids of messages without any words (retention.names_days): one that is delivered again is known by them.",
    "Log files, backups and exports: Parley does not know where they are.",
)
_MEMORY_KEPT = (
    "Of a memory: whether it was off, when and how often it was cleared, so that nothing comes back."
)
_OTHER_NODES = "Files of their turns in the folders of other nodes: those go after retention.files_days."
_AUDIT_KEPT = "The audit record, as retention.audit_on_erase says: keep."


class Erasure:
    """One person's. `run` goes on where an earlier call ended; every method raises StoreUnavailable."""

    def __init__(self, sources: Sources, begun: Plan, *, again: bool) -> None:
        self._sources = sources
        self._archive = sources.archive
        self._plan = begun
        self._again = again
        self._subject = begun.subject
        self._ledger = Ledger()
        self._ledger.counts.update(begun.counts())

    async def run(self) -> Report:
        """Erase everything, and say what it was. Raises PersonBusy, and MemoryFailed."""
        await self._wait()
        await plan.keep(self._archive, self._plan)
        steps = (self._memory, self._work, self._questions, self._talks, self._audit, self._rest, self._who)
        for step in steps:
            await step()
            await self._checkpoint()
        for reason in (*_KEPT, *((_OTHER_NODES,) if self._sources.shared else ())):
            self._ledger.keep(reason)
        if not self._ledger.unfinished:
            await plan.drop(self._archive, self._plan)
        return Report(
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
            await plan.keep(self._archive, changed)

    async def _wait(self) -> None:
        """Until none of their turns is under way. Raises PersonBusy."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._sources.patience
        while number := await work.in_hand(self._archive, self._subject):
            if loop.time() > until:
                raise PersonBusy(
                    f"{number} message(s) of this person are being answered at this moment: end that with "
                    "/stop there, or try again later."
                )
            await asyncio.sleep(_LOOK_EVERY)

    async def _memory(self) -> None:
        self._ledger.add(Kind.FACTS, await self._sources.memory.clear(self._subject.person))
        self._ledger.keep(_MEMORY_KEPT)

    async def _work(self) -> None:
        """Messages and turns, their files first: nothing else tells whose those are."""
        left = True
        while left:
            left = False
            async for items in work.work_of(self._archive, self._subject):
                left = await self._remove(items) or left
            if left:
                await self._wait()

    async def _remove(self, items: Sequence[Kept]) -> bool:
        """Whether any of them had to stay, as somebody works it now."""
        of = [kept.item for kept in items]
        await self._checkpoint(map(work.private_conversation, of), map(work.shared_conversation, of))
        root, conversations = self._sources.files, self._sources.conversations
        folders = [folder for item in of for folder in work.folders_of(conversations, root, item)]
        self._ledger.add(Kind.FILES, await work.remove_folders(folders))
        gone = await self._archive.remove([item.id for item in of])
        self._ledger.add(Kind.MESSAGES, len(gone))
        await self._checkpoint()
        return len(gone) < len(of)

    async def _questions(self) -> None:
        async for record, document in asked.questions_of(self._archive, self._subject):
            folder = self._sources.files / record.question.id
            self._ledger.add(Kind.FILES, await work.remove_folders([folder]))
            await self._archive.delete(document.key)
            self._ledger.add(Kind.QUESTIONS)
        self._ledger.add(Kind.DECISIONS, await asked.unsign(self._archive, self._subject))

    async def _talks(self) -> None:
        async for talk in talks_of(self._archive, self._subject, self._plan.private):
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

    async def _end(self, talk: Talk) -> None:
        """Delete the threads of a conversation that is theirs alone, and then what finds them."""
        try:
            for thread in threads_of(self._sources.conversations, talk):
                self._ledger.add(Kind.THREADS, await self._sources.threads.forget(thread))
        except AgentError as error:
            self._ledger.unfinished = True
            self._ledger.keep(f"Threads of {talk.conversation.key}: {error.user_text}")
            await self._write(talk)
            return
        await self._archive.delete(talk.document.key)
        self._ledger.add(Kind.CONVERSATIONS)

    async def _leave(self, talk: Talk) -> None:
        """Take what is theirs out of the record of a conversation with others."""
        await self._write(talk)
        self._ledger.add(Kind.SHARES)

    async def _write(self, talk: Talk) -> None:
        """Leave nothing of theirs in the conversation's record, as it is now."""
        while True:
            record, document = await self._sources.conversations.read(talk.conversation)
            changed = emptied(record) if talk.alone else scrubbed(talk.conversation, record, self._subject)
            if changed == record:
                return
            try:
                await self._archive.set(written(document, changed))
            except DocumentConflict:
                continue
            return

    async def _audit(self) -> None:
        policy = self._sources.audit
        number = await asked.settle_audit(self._archive, self._subject, self._plan.private, policy)
        self._ledger.add(Kind.AUDIT, number)
        if policy is AuditOnErase.KEEP:
            self._ledger.keep(_AUDIT_KEPT)

    async def _rest(self) -> None:
        """Access, counts, and what channels keep by themselves."""
        for account in self._subject.accounts:
            self._ledger.add(Kind.ACCESS, await self._sources.pairing.forget(account))
            if self._sources.audit is not AuditOnErase.KEEP:
                await self._sources.pairing.unsign(account, asked.ERASED)
            async for document in every(self._archive, f"{REFUSED}{account}/"):
                await self._archive.delete(document.key)
                self._ledger.add(Kind.ACCESS)
        for name in names_of(self._subject, self._plan.private):
            self._ledger.add(Kind.USAGE, await self._archive.uncount(name))
        for channel in self._sources.channels():
            for user in self._subject.users:
                self._ledger.add(Kind.CHANNELS, await channel.erase(user))

    async def _who(self) -> None:
        """Their links, once nothing is left that they lead to."""
        if not self._ledger.unfinished:
            people, subject = self._sources.people, self._subject
            self._ledger.add(Kind.LINKS, await people.forget(subject.person, subject.accounts))


def _union(known: tuple[str, ...], more: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*known, *(each for each in more if each))))
