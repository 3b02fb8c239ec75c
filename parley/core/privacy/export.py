"""Everything about a person as one zip file: JSON as the store has it, and the files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from parley.core.commands.worker import REFUSAL_PREFIX
from parley.core.hitl.records import QuestionRecord
from parley.core.limits.rules import KEPT_DAYS, LimitSubject, day_window
from parley.core.model.codec import encode
from parley.core.model.errors import AgentError
from parley.core.model.limits import LimitScope
from parley.core.ports.journal import Document, iter_documents
from parley.core.ports.store_admin import StoredItem
from parley.core.privacy import questions, queue_items
from parley.core.privacy.conversations import list_conversations, thread_ids
from parley.core.privacy.data_subject import DataSubject
from parley.core.privacy.heard import list_heard
from parley.core.privacy.report import DataKind, PrivacyReport, PrivacyReportBuilder
from parley.core.privacy.sent import list_sent
from parley.core.privacy.sources import DataSources
from parley.core.state.feedback import FEEDBACK_PREFIX, feedback_of_accounts

_OTHERS = (
    "Conversations with others: only what this person wrote there, and the answers to it, is here. "
    "Threads of such conversations on the agent server have what others said too."
)
_PLATFORMS = "What the chat platforms keep by themselves is not here."


class PersonExport:
    """One person's, into `archive`. Every method raises StoreUnavailable, MemoryFailed, OSError."""

    def __init__(self, sources: DataSources, subject: DataSubject, archive: ZipFile) -> None:
        self._sources = sources
        self._subject = subject
        self._zip = archive
        self._ledger = PrivacyReportBuilder()
        self._private: dict[str, None] = {}

    async def run(self) -> PrivacyReport:
        """Write all of it, and say what it was. Nothing is changed."""
        await self._lines("messages.jsonl", self._messages())
        await self._memory()
        await self._lines("past_conversations.jsonl", self._past_turns())
        await self._lines("team_memory.jsonl", self._team_memory())
        await self._lines("conversations.jsonl", self._conversations())
        await self._lines("heard.jsonl", self._heard())
        await self._lines("sent.jsonl", self._sent())
        await self._lines("questions.jsonl", self._questions())
        await self._lines("audit.jsonl", self._audit())
        await self._lines("account.jsonl", self._account())
        await self._lines("usage.jsonl", self._usage())
        await self._channels()
        for reason in (_OTHERS, _PLATFORMS):
            self._ledger.keep(reason)
        report = PrivacyReport(
            self._subject.person,
            self._subject.accounts,
            self._sources.clock(),
            self._ledger.done(),
            tuple(self._ledger.kept),
        )
        self._zip.writestr("receipt.txt", "\n".join([*report.lines("exported"), ""]))
        return report

    async def _lines(self, name: str, lines: AsyncIterator[str]) -> None:
        """Write a file of one JSON value a line; none where there is no line."""
        found = [line async for line in lines]
        if found:
            await asyncio.to_thread(self._zip.writestr, name, "".join(f"{line}\n" for line in found))

    async def _messages(self) -> AsyncIterator[str]:
        sources = self._sources
        async for items in queue_items.iter_items(sources.archive, self._subject):
            for kept in items:
                self._ledger.add(DataKind.MESSAGES)
                self._private[queue_items.private_conversation(kept.item)] = None
                for folder in queue_items.item_folders(sources.conversations, sources.files, kept.item):
                    await self._files(folder)
                yield _message_line(kept)

    async def _memory(self) -> None:
        memory = self._sources.memory
        text = await memory.export(self._subject.person)
        self._ledger.add(DataKind.FACTS, len((await memory.overview(self._subject.person)).facts))
        self._zip.writestr("memory.json", text)

    async def _past_turns(self) -> AsyncIterator[str]:
        async for turn in self._sources.past_turns.list(self._subject.person):
            self._ledger.add(DataKind.PAST_TURNS)
            yield encode(turn)

    async def _team_memory(self) -> AsyncIterator[str]:
        """Yield what they said for the memories of chats."""
        for team in await self._sources.team_chats.teams_of(self._subject.accounts):
            for fact in (await self._sources.memory.overview(team)).facts:
                if set(fact.accounts) & set(self._subject.accounts):
                    self._ledger.add(DataKind.TEAM_FACTS)
                    yield _line({"team": team, "fact": fact.content, "at": fact.at})

    async def _conversations(self) -> AsyncIterator[str]:
        async for talk in list_conversations(self._sources.archive, self._subject, self._private):
            if not talk.alone:
                self._ledger.add(DataKind.SHARES)
                yield _line({"conversation": talk.conversation.key, "shared": True})
                continue
            self._private[talk.conversation.key] = None
            self._ledger.add(DataKind.CONVERSATIONS)
            threads = thread_ids(self._sources.conversations, talk)
            yield _line(
                {
                    "conversation": talk.conversation.key,
                    "record": json.loads(talk.document.body),
                    "threads": list(threads),
                }
            )
            for thread in threads:
                await self._thread(thread)
                await self._thread_files(thread)

    async def _thread(self, thread: str) -> None:
        try:
            text = await self._sources.threads.copy(thread)
        except AgentError as error:
            self._ledger.keep(f"The thread {thread} is missing here: {error.user_text}")
            return
        if text:
            self._ledger.add(DataKind.THREADS)
            self._zip.writestr(f"threads/{thread}.json", text)

    async def _thread_files(self, thread: str) -> None:
        left_out = 0
        async for piece in self._sources.thread_files.pieces(thread):
            if piece is None:
                left_out += 1
                continue
            self._ledger.add(DataKind.FILES)
            name = f"workspaces/{thread}/{piece.name}"
            await asyncio.to_thread(self._zip.writestr, name, piece.content)
        if left_out:
            self._ledger.keep(f"{left_out} file(s) of thread {thread} are missing here: they cannot be read.")

    async def _heard(self) -> AsyncIterator[str]:
        async for conversation, message in list_heard(self._sources.archive, self._subject):
            self._ledger.add(DataKind.HEARD)
            yield _line({"conversation": conversation, "message": json.loads(encode(message))})

    async def _sent(self) -> AsyncIterator[str]:
        async for conversation, message in list_sent(self._sources.archive, self._subject):
            self._ledger.add(DataKind.SENT)
            yield _line({"conversation": conversation, "answer": json.loads(encode(message))})

    async def _questions(self) -> AsyncIterator[str]:
        documents = self._sources.archive
        async for record, document in questions.list_questions(documents, self._subject):
            self._ledger.add(DataKind.QUESTIONS)
            await self._files(self._sources.files / record.question.id)
            yield document.body
        async for record, _ in questions.list_decisions(documents, self._subject):
            self._ledger.add(DataKind.DECISIONS)
            yield _decision_line(record)

    async def _audit(self) -> AsyncIterator[str]:
        async for entry, document in questions.list_audit_lines(
            self._sources.archive, self._subject, self._private
        ):
            own = entry.who in ("", *self._subject.accounts)
            self._ledger.add(DataKind.AUDIT)
            yield document.body if own else encode(replace(entry, who="somebody else", text=""))

    async def _account(self) -> AsyncIterator[str]:
        sources, subject = self._sources, self._subject
        for document in await sources.people.list_documents(subject.person, subject.accounts):
            self._ledger.add(DataKind.LINKS)
            yield _document_line(document)
        for account in subject.accounts:
            found = await sources.pairing.list_documents(account)
            found += [
                document async for document in iter_documents(sources.archive, f"{REFUSAL_PREFIX}{account}/")
            ]
            for document in found:
                self._ledger.add(DataKind.ACCESS)
                yield _document_line(document)
        async for document in feedback_of_accounts(sources.archive, subject.accounts):
            self._ledger.add(DataKind.FEEDBACK, document.key.startswith(FEEDBACK_PREFIX))
            yield _document_line(document)

    async def _usage(self) -> AsyncIterator[str]:
        party, now = LimitSubject(self._subject.person, self._subject.accounts, "", ""), self._sources.clock()
        for back in range(KEPT_DAYS + 1):
            day = day_window(now, self._sources.zone, back)
            names = party.names(LimitScope.PERSON, day)
            for name, usage in zip(names, await self._sources.archive.counted(names), strict=True):
                if usage.turns or usage.tokens:
                    self._ledger.add(DataKind.USAGE)
                    yield _line({"count": name, "usage": json.loads(encode(usage))})

    async def _channels(self) -> None:
        for channel in self._sources.channels():
            for user in self._subject.users:
                async for piece in channel.kept(user):
                    self._ledger.add(DataKind.CHANNELS)
                    name = f"channels/{user.channel}/{piece.name}"
                    if piece.file is None:
                        self._zip.writestr(name, piece.content)
                    elif piece.file.is_file():
                        await asyncio.to_thread(self._zip.write, piece.file, name)

    async def _files(self, folder: Path) -> None:
        for path in await asyncio.to_thread(queue_items.list_files, folder):
            self._ledger.add(DataKind.FILES)
            name = path.relative_to(self._sources.files)
            await asyncio.to_thread(self._zip.write, path, f"files/{name.as_posix()}")


async def export_person(sources: DataSources, subject: DataSubject, into: Path) -> PrivacyReport:
    """Write everything about a person into the new zip file `into`.

    Raises StoreUnavailable, MemoryFailed, OSError; the file is useless then.
    """
    with ZipFile(into, "w", ZIP_DEFLATED) as archive:
        return await PersonExport(sources, subject, archive).run()


def _message_line(kept: StoredItem) -> str:
    item = kept.item
    return _line(
        {
            "item": item.id,
            "queue": item.queue,
            "fate": kept.fate.value,
            "at": datetime.fromtimestamp(item.put_at, UTC).isoformat(),
            "reason": kept.reason,
            "message": _json(item.body),
            "turn": _json(item.note),
        }
    )


def _decision_line(record: QuestionRecord) -> str:
    decision = record.decision
    return _line(
        {
            "question": record.question.id,
            "action": record.question.action,
            "decision": None if decision is None else json.loads(encode(decision)),
        }
    )


def _document_line(document: Document) -> str:
    return _line({"key": document.key, "value": _json(document.body)})


def _json(text: str) -> object:
    """JSON as such, anything else as the text that it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
