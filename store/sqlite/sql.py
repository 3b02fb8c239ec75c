"""Every statement that runs after start-up. States: 0 waiting, 1 done, 2 dead, 3 cancelled."""

# ruff: noqa: S608  (built from the constants of this file only)

from __future__ import annotations

ITEM = "id, queue, lane, body, note, attempts, version, put_at"

# Put.
# {rows}: see store.sqlite.many.
_REMEMBER = "INSERT INTO names (queue, name, put_at) VALUES {rows} ON CONFLICT DO NOTHING"
REMEMBER_NAMES = f"{_REMEMBER} RETURNING queue, name"
REMEMBER_NAME = _REMEMBER.format(rows="(?, ?, ?)")
INSERT_ITEMS = "INSERT INTO items (queue, lane, slot, body, put_at, first_at, run_at) VALUES {rows}"
INSERT_ITEM = INSERT_ITEMS.format(rows="(?, ?, ?, ?, ?, ?, ?)")
# An occupied lane (free with a head, or held) keeps its time: order is strict.
ALL_READY_IF_EMPTY = """INSERT INTO lanes (queue, lane, ready_at) VALUES {rows}
    ON CONFLICT DO UPDATE SET ready_at = excluded.ready_at WHERE ready_at IS NULL"""
READY_IF_EMPTY = ALL_READY_IF_EMPTY.format(rows="(?, ?, ?)")
# Handed out: it was due when the lane's holder claimed it, and was not replaced since.
SLOT = """SELECT id, first_at, run_at, attempts, COALESCE((SELECT items.run_at <= claimed_at FROM lanes
    WHERE lanes.queue = items.queue AND lanes.lane = items.lane AND node IS NOT NULL), 0) AS handed_out
    FROM items WHERE queue = ? AND lane = ? AND slot = ? AND state = 0 AND slot <> ''"""
REPLACE = "UPDATE items SET body = ?, note = '', version = version + 1, first_at = ?, run_at = ? WHERE id = ?"

# Lanes.
_HEAD = """(SELECT run_at FROM items WHERE items.queue = lanes.queue AND items.lane = lanes.lane
    AND state = 0 ORDER BY id LIMIT 1)"""
READY_LANES = "SELECT lane FROM lanes WHERE queue = ? AND ready_at <= ? ORDER BY ready_at LIMIT ?"
NEXT_READY = "SELECT min(ready_at) FROM lanes WHERE queue = ? AND ready_at IS NOT NULL"
NEXT_EPOCH = "UPDATE meta SET value = value + 1 WHERE key = 'epoch' RETURNING value"
HOLD = "UPDATE lanes SET epoch = ?, node = ?, claimed_at = ?, ready_at = ? WHERE queue = ? AND lane = ?"
HELD = "SELECT 1 FROM lanes WHERE queue = ? AND lane = ? AND epoch = ? AND node = ?"
FREE = f"UPDATE lanes SET node = NULL, ready_at = {_HEAD} WHERE queue = ? AND lane = ?"
FREE_CLAIMED = f"{FREE} AND epoch = ? AND node = ? RETURNING ready_at"
REFRESH = f"UPDATE lanes SET ready_at = {_HEAD} WHERE queue = ? AND lane = ? AND node IS NULL"
FREE_NODE = f"UPDATE lanes SET node = NULL, ready_at = {_HEAD} WHERE node = ?"
FREE_EVERYBODY = f"UPDATE lanes SET node = NULL, ready_at = {_HEAD} WHERE node IS NOT NULL"
RENEW = "UPDATE lanes SET ready_at = ? WHERE node = ?"

# Items.
NEWEST = "SELECT coalesce((SELECT put_at FROM items ORDER BY id DESC LIMIT 1), 0)"
WAITING = f"SELECT {ITEM} FROM items WHERE queue = ? AND lane = ? AND state = 0 ORDER BY id"
HEADS = f"SELECT run_at, {ITEM} FROM items WHERE queue = ? AND lane = ? AND state = 0 ORDER BY id LIMIT ?"
IS_WAITING = "SELECT 1 FROM items WHERE id = ? AND state = 0"
NOTE = """UPDATE items SET note = ? WHERE id = ? AND state = 0 AND version = COALESCE(?, version)
    AND EXISTS (SELECT 1 FROM lanes WHERE lanes.queue = items.queue AND lanes.lane = items.lane
    AND lanes.queue = ? AND lanes.lane = ? AND epoch = ? AND node = ?)"""
FINISH = """UPDATE items SET state = 1, ended_at = ?, note = COALESCE(?, note)
    WHERE id = ? AND version = ? AND state = 0"""
COUNT_ATTEMPT = """UPDATE items SET attempts = attempts + 1, run_at = max(run_at, ?)
    WHERE id = ? AND state = 0"""
BURY = """UPDATE items SET state = 2, ended_at = ?, reason = ?
    WHERE id = ? AND version = ? AND state = 0"""
CANCEL = f"""UPDATE items SET state = 3, ended_at = ?
    WHERE queue = ? AND lane = ? AND id < ? AND state = 0 AND note = '' RETURNING {ITEM}"""

# Dead letters. A revived item leaves its slot to a newer one that waits there.
DEAD = """SELECT id, queue, lane, body, CASE note WHEN '' THEN reason ELSE note || char(10) || reason END,
    attempts, version, put_at FROM items
    WHERE state = 2 AND ended_at IS NOT NULL ORDER BY ended_at DESC, id DESC LIMIT ?"""
REVIVE = """UPDATE items SET state = 0, ended_at = NULL, reason = '', attempts = 0, run_at = ?,
    slot = CASE WHEN EXISTS (SELECT 1 FROM items AS newer WHERE newer.queue = items.queue
    AND newer.lane = items.lane AND newer.slot = items.slot AND newer.state = 0 AND newer.slot <> '')
    THEN '' ELSE slot END WHERE id = ? AND state = 2 RETURNING queue, lane"""
DISCARD = "DELETE FROM items WHERE id = ? AND state = 2"

# Documents. A new one starts above every version ever deleted: a stale writer never takes it for the old.
GET = "SELECT key, body, version FROM documents WHERE key = ?"
GET_ALL = "SELECT key, body, version FROM documents WHERE key IN (SELECT value FROM json_each(?))"
LIST = """SELECT key, body, version FROM documents
    WHERE key >= ? AND key < ? AND key > ? ORDER BY key LIMIT ?"""
CREATE = """INSERT INTO documents (key, body, version)
    SELECT ?, ?, value + 1 FROM meta WHERE key = 'deleted' ON CONFLICT DO NOTHING RETURNING version"""
UPDATE = (
    "UPDATE documents SET body = ?, version = version + 1 WHERE key = ? AND version = ? RETURNING version"
)
DELETE = "DELETE FROM documents WHERE key = ? RETURNING version"
DELETED = "UPDATE meta SET value = max(value, ?) WHERE key = 'deleted'"

# Counts.
KNOWN_NAME = "SELECT 1 FROM names WHERE queue = ? AND name = ?"
_COUNTS = ("turns", "metered", "input", "output", "unpriced", "cost")
ADD_TALLY = f"""INSERT INTO tallies (name, until, {", ".join(_COUNTS)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET {", ".join(f"{count} = {count} + excluded.{count}" for count in _COUNTS)}"""
TALLIED = f"""SELECT name, {", ".join(_COUNTS)} FROM tallies
    WHERE name IN (SELECT value FROM json_each(?))"""
TALLIED_TURNS = "SELECT turns FROM tallies WHERE name = ?"
DELETE_TALLIES = "DELETE FROM tallies WHERE name >= ? AND name < ?"

# Retention, a slice at a time.
PRUNE_ITEMS = """DELETE FROM items WHERE id IN (
    SELECT id FROM items WHERE state = ? AND ended_at < ? ORDER BY ended_at LIMIT ?)"""
PRUNE_NAMES = """DELETE FROM names WHERE (queue, name) IN (
    SELECT queue, name FROM names WHERE put_at < ? ORDER BY put_at LIMIT ?)"""
PRUNE_LANES = """DELETE FROM lanes WHERE (queue, lane) IN (
    SELECT queue, lane FROM lanes WHERE ready_at IS NULL AND node IS NULL LIMIT ?)"""
PRUNE_TALLIES = """DELETE FROM tallies WHERE name IN (
    SELECT name FROM tallies WHERE until < ? ORDER BY until LIMIT ?)"""
