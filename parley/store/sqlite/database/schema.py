"""Tables, and how an older file becomes a newer one."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from parley.core.model.errors import StoreUnavailable

Step: TypeAlias = tuple[str, ...]

# `ready_at` is the one column that says when anybody may claim a lane: its head's `run_at` while it is
# free, the end of the lease while it is held, NULL while there is nothing to do. An empty lane's row may
# go: epochs come from one counter, so that a lane made anew never repeats one.
_LANES_AND_DOCUMENTS: Step = (
    """CREATE TABLE lanes (
        queue TEXT NOT NULL,
        lane TEXT NOT NULL,
        epoch INTEGER NOT NULL DEFAULT 0,
        node TEXT,
        claimed_at REAL NOT NULL DEFAULT 0,
        ready_at REAL,
        PRIMARY KEY (queue, lane)
    ) WITHOUT ROWID""",
    "CREATE INDEX lanes_ready ON lanes (queue, ready_at) WHERE ready_at IS NOT NULL",
    "CREATE INDEX lanes_held ON lanes (node) WHERE node IS NOT NULL",
    """CREATE TABLE items (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        queue TEXT NOT NULL,
        lane TEXT NOT NULL,
        slot TEXT NOT NULL,
        state INTEGER NOT NULL DEFAULT 0,
        attempts INTEGER NOT NULL DEFAULT 0,
        version INTEGER NOT NULL DEFAULT 1,
        put_at REAL NOT NULL,
        first_at REAL NOT NULL,
        run_at REAL NOT NULL,
        ended_at REAL,
        body TEXT NOT NULL,
        note TEXT NOT NULL DEFAULT '',
        reason TEXT NOT NULL DEFAULT ''
    )""",
    "CREATE INDEX items_waiting ON items (queue, lane, id) WHERE state = 0",
    "CREATE UNIQUE INDEX items_slot ON items (queue, lane, slot) WHERE state = 0 AND slot <> ''",
    "CREATE INDEX items_ended ON items (state, ended_at) WHERE ended_at IS NOT NULL",
    """CREATE TABLE names (
        queue TEXT NOT NULL,
        name TEXT NOT NULL,
        put_at REAL NOT NULL,
        PRIMARY KEY (queue, name)
    ) WITHOUT ROWID""",
    "CREATE INDEX names_by_age ON names (put_at)",
    """CREATE TABLE documents (
        key TEXT PRIMARY KEY,
        body TEXT NOT NULL,
        version INTEGER NOT NULL
    ) WITHOUT ROWID""",
    "INSERT INTO meta (key, value) VALUES ('epoch', 0), ('deleted', 0)",
)

_TALLIES: Step = (
    """CREATE TABLE tallies (
        name TEXT PRIMARY KEY,
        until REAL NOT NULL,
        turns INTEGER NOT NULL,
        metered INTEGER NOT NULL,
        input INTEGER NOT NULL,
        output INTEGER NOT NULL,
        unpriced INTEGER NOT NULL,
        cost INTEGER NOT NULL
    ) WITHOUT ROWID""",
    "CREATE INDEX tallies_by_age ON tallies (until)",
)

# `claims` counts the claims in a row that were not given back, the present one too; `trials` is kept beside
# it. An item's `progress` is the epoch of the claim that last changed its note: a claim that got further does
# not count.
_CRASHES: Step = (
    "ALTER TABLE lanes ADD COLUMN claims INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE lanes ADD COLUMN trials INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE items ADD COLUMN progress INTEGER NOT NULL DEFAULT 0",
)

# `subjects` are the numbers of whom a row is about (core.ports.subjects), as a list in JSON; NULL where
# nobody has looked yet: such rows are in `unindexed_...`, or beyond the position of a walk that is to come.
_INDEXED = (
    "ALTER TABLE {table} ADD COLUMN subjects TEXT",
    """CREATE TABLE {one}_subjects (subject INTEGER NOT NULL, {key} {kind} NOT NULL,
        PRIMARY KEY (subject, {key})) WITHOUT ROWID""",
    "CREATE TABLE unindexed_{table} ({key} {kind} PRIMARY KEY) WITHOUT ROWID",
    """CREATE TRIGGER {table}_made AFTER INSERT ON {table} WHEN NEW.subjects IS NOT NULL BEGIN
        INSERT INTO {one}_subjects SELECT value, NEW.{key} FROM json_each(NEW.subjects) WHERE true
        ON CONFLICT DO NOTHING; END""",
    """CREATE TRIGGER {table}_brought AFTER INSERT ON {table} WHEN NEW.subjects IS NULL BEGIN
        INSERT INTO unindexed_{table} VALUES (NEW.{key}) ON CONFLICT DO NOTHING; END""",
    """CREATE TRIGGER {table}_changed AFTER UPDATE OF subjects ON {table}
        WHEN NEW.subjects IS NOT OLD.subjects BEGIN
        DELETE FROM {one}_subjects WHERE {key} = OLD.{key}
            AND subject IN (SELECT value FROM json_each(OLD.subjects));
        INSERT INTO {one}_subjects SELECT value, NEW.{key} FROM json_each(NEW.subjects) WHERE true
            ON CONFLICT DO NOTHING;
        DELETE FROM unindexed_{table} WHERE {key} = NEW.{key}; END""",
    """CREATE TRIGGER {table}_removed AFTER DELETE ON {table} BEGIN
        DELETE FROM {one}_subjects WHERE {key} = OLD.{key}
            AND subject IN (SELECT value FROM json_each(OLD.subjects));
        DELETE FROM unindexed_{table} WHERE OLD.subjects IS NULL AND {key} = OLD.{key}; END""",
)
_SUBJECTS: Step = (
    *(each.format(table="items", one="item", key="id", kind="INTEGER") for each in _INDEXED),
    *(each.format(table="documents", one="document", key="key", kind="TEXT") for each in _INDEXED),
    "CREATE TABLE index_walks (name TEXT PRIMARY KEY, position NOT NULL) WITHOUT ROWID",
    "INSERT INTO index_walks SELECT 'items', 0 WHERE EXISTS (SELECT 1 FROM items)",
    "INSERT INTO index_walks SELECT 'documents', '' WHERE EXISTS (SELECT 1 FROM documents)",
)

# Its row would not say which lane a name came with. NULL: from before this schema, or of no lane (`tally`).
_BUCKETS: Step = ("ALTER TABLE names ADD COLUMN bucket INTEGER",)

# When people said what they think of answers; a document that has no time is damaged, and not in it.
_TIMES = (
    "CREATE TABLE feedback_times (at REAL NOT NULL, key TEXT NOT NULL, PRIMARY KEY (at, key)) WITHOUT ROWID",
    """CREATE TRIGGER feedback_made AFTER INSERT ON documents WHEN {is_new} BEGIN
        INSERT INTO feedback_times SELECT {new_time}, NEW.key WHERE typeof({new_time}) {is_number}; END""",
    """CREATE TRIGGER feedback_changed AFTER UPDATE OF body ON documents WHEN {is_new} BEGIN
        DELETE FROM feedback_times WHERE at = {old_time} AND key = OLD.key;
        INSERT INTO feedback_times SELECT {new_time}, NEW.key WHERE typeof({new_time}) {is_number}; END""",
    """CREATE TRIGGER feedback_removed AFTER DELETE ON documents WHEN {is_old} BEGIN
        DELETE FROM feedback_times WHERE at = {old_time} AND key = OLD.key; END""",
    """INSERT INTO feedback_times SELECT {time}, key FROM documents
        WHERE {is_kept} AND typeof({time}) {is_number}""",
)
_IS_FEEDBACK = "{0}key >= 'feedback/' AND {0}key < 'feedback0'"
_TIME = "json_extract(CASE WHEN json_valid({0}body) THEN {0}body END, '$.at')"
_FEEDBACK_TIMES: Step = tuple(
    each.format(
        is_kept=_IS_FEEDBACK.format(""),
        is_old=_IS_FEEDBACK.format("OLD."),
        is_new=_IS_FEEDBACK.format("NEW."),
        is_number="IN ('integer', 'real')",
        time=_TIME.format(""),
        old_time=_TIME.format("OLD."),
        new_time=_TIME.format("NEW."),
    )
    for each in _TIMES
)

# Documents that are kept for a time have its hour among their subjects: those that are there get it, as rows
# that nobody looked at yet.
_HOURS: Step = (
    "DROP TRIGGER documents_removed",
    """CREATE TRIGGER documents_removed AFTER DELETE ON documents BEGIN
        DELETE FROM document_subjects WHERE key = OLD.key
            AND subject IN (SELECT value FROM json_each(OLD.subjects));
        DELETE FROM unindexed_documents WHERE key = OLD.key; END""",
    *(
        f"""INSERT INTO unindexed_documents SELECT key FROM documents
        WHERE key >= '{prefix}' AND key < '{prefix[:-1]}0' ON CONFLICT DO NOTHING"""  # noqa: S608
        for prefix in ("feedback/", "feedback-prompt/", "question/", "rateable/")
    ),
)

STEPS: tuple[Step, ...] = (
    *(_LANES_AND_DOCUMENTS, _TALLIES, _CRASHES, _SUBJECTS, _BUCKETS),
    *(_FEEDBACK_TIMES, _HOURS),
)
"""Step n brings a file from schema n to schema n + 1. Add to the end; never change one that was released."""


def version_of(connection: sqlite3.Connection, path: Path) -> int:
    """Return the schema version, 0 where there is none. Raises StoreUnavailable for somebody else's."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        return 0
    row = None
    if "meta" in tables:
        row = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    if row is None:
        raise StoreUnavailable(f"{path}: the database is another program's: name another file.")
    return int(row[0])


def migrate(connection: sqlite3.Connection, path: Path, steps: Sequence[Step] = STEPS) -> None:
    """Bring the file to the newest schema, wholly or not at all.

    Raises StoreUnavailable for a file of a newer schema or of another program, and sqlite3.Error.
    """
    if version_of(connection, path) == len(steps):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        _climb(connection, path, steps)
    except BaseException:
        connection.rollback()
        raise
    connection.execute("COMMIT")


def _climb(connection: sqlite3.Connection, path: Path, steps: Sequence[Step]) -> None:
    version = version_of(connection, path)  # once more: another node may have been faster
    if version > len(steps):
        raise StoreUnavailable(
            f"{path}: the database was written by a newer Parley (schema {version}, this one knows "
            f"{len(steps)}): update Parley, or restore the backup from before the update."
        )
    if version == 0:
        connection.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID")
        connection.execute("INSERT INTO meta (key, value) VALUES ('schema', 0)")
    for step in steps[version:]:
        for statement in step:
            connection.execute(statement)
    connection.execute("UPDATE meta SET value = ? WHERE key = 'schema'", (len(steps),))
