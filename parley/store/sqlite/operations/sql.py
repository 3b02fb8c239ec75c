"""Every statement that runs after start-up. States: 0 waiting, 1 done, 2 dead, 3 cancelled."""

# ruff: noqa: S608  (built from the constants of this file only)

from __future__ import annotations

# Of the rows that many of one kind come as: see store.sqlite.execution.transaction.as_json.
_FIELDS = tuple(f"json_extract(value, '$[{place}]')" for place in range(8))

ITEM = "id, queue, lane, body, note, attempts, version, put_at"

# Put.
REMEMBER_NAME = """INSERT INTO names (queue, name, put_at, bucket) VALUES (?, ?, ?, ?)
    ON CONFLICT DO NOTHING"""
INSERT_ITEM = """INSERT INTO items (queue, lane, slot, body, put_at, first_at, run_at, subjects)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
# An occupied lane (free with a head, or held) keeps its time: order is strict.
_IF_EMPTY = "ON CONFLICT DO UPDATE SET ready_at = excluded.ready_at WHERE ready_at IS NULL"
READY_IF_EMPTY = f"INSERT INTO lanes (queue, lane, ready_at) VALUES (?, ?, ?) {_IF_EMPTY}"

# Many puts: their names as a list, new ones as one of [name, bucket], and themselves as one of [queue, lane,
# body, seconds to wait, subjects].
_QUEUE, _LANE, _BODY, _WAIT, _SUBJECTS, *_ = _FIELDS
KNOWN_NAMES = """SELECT json_group_array(value) FROM json_each(?)
    WHERE EXISTS (SELECT 1 FROM names WHERE queue = ? AND name = value)"""
REMEMBER_NAMES = f"""INSERT INTO names (queue, name, put_at, bucket)
    SELECT ?, {_FIELDS[0]}, ?, {_FIELDS[1]} FROM json_each(?) WHERE true ON CONFLICT DO NOTHING"""
INSERT_ITEMS = f"""INSERT INTO items (queue, lane, slot, body, put_at, first_at, run_at, subjects)
    SELECT {_QUEUE}, {_LANE}, '', {_BODY}, ?1, ?1, ?1 + {_WAIT}, {_SUBJECTS} FROM json_each(?2)"""
ALL_READY_IF_EMPTY = f"""INSERT INTO lanes (queue, lane, ready_at)
    SELECT {_QUEUE}, {_LANE}, ?1 + {_WAIT} FROM json_each(?2) WHERE true {_IF_EMPTY}"""
# Handed out: it was due when the lane's holder claimed it, and was not replaced since.
SLOT = """SELECT id, first_at, run_at, attempts, COALESCE((SELECT items.run_at <= claimed_at FROM lanes
    WHERE lanes.queue = items.queue AND lanes.lane = items.lane AND node IS NOT NULL), 0) AS handed_out
    FROM items WHERE queue = ? AND lane = ? AND slot = ? AND state = 0 AND slot <> ''"""
REPLACE = """UPDATE items SET body = ?, note = '', version = version + 1, first_at = ?, run_at = ?,
    subjects = ? WHERE id = ?"""

# Lanes.
_HEAD = """(SELECT run_at FROM items WHERE items.queue = lanes.queue AND items.lane = lanes.lane
    AND state = 0 ORDER BY id LIMIT 1)"""
# The lanes that are ready, and the first items of each; a lane without any is there with a NULL. Before them
# stand claims and trials that vanished, unless the last one got further with this item.
READY = f"""SELECT ready.lane, CASE items.progress WHEN ready.epoch THEN 0 ELSE ready.claims END,
    ready.trials, items.run_at, {", ".join(f"items.{column}" for column in ITEM.split(", "))}
    FROM (SELECT * FROM lanes WHERE queue = ?1 AND ready_at <= ?2 ORDER BY ready_at LIMIT ?3)
    AS ready LEFT JOIN items ON items.id IN (SELECT id FROM items AS head WHERE head.queue = ?1
    AND head.lane = ready.lane AND head.state = 0 ORDER BY head.id LIMIT ?4)
    ORDER BY ready.ready_at, ready.lane, items.id"""
NEXT_READY = "SELECT min(ready_at) FROM lanes WHERE queue = ? AND ready_at IS NOT NULL"
NEXT_EPOCH = "UPDATE meta SET value = value + 1 WHERE key = 'epoch' RETURNING value"
_HOLD = "UPDATE lanes SET epoch = ?, node = ?, claimed_at = ?, ready_at = ?, claims = ?, trials = ?"
HOLD = f"{_HOLD} WHERE queue = ? AND lane = ?"
HOLD_ALL = f"{_HOLD} WHERE queue = ? AND lane IN (SELECT value FROM json_each(?))"
SET_TRIALS = "UPDATE lanes SET trials = ? WHERE queue = ? AND lane = ? AND epoch = ? AND node = ?"
HELD = "SELECT 1 FROM lanes WHERE queue = ? AND lane = ? AND epoch = ? AND node = ?"
FREE = f"UPDATE lanes SET node = NULL, ready_at = {_HEAD} WHERE queue = ? AND lane = ?"
# Given back: the claim counts no more.
_GIVE_BACK = f"UPDATE lanes SET node = NULL, claims = 0, trials = 0, ready_at = {_HEAD}"
FREE_CLAIMED = f"{_GIVE_BACK} WHERE queue = ? AND lane = ? AND epoch = ? AND node = ? RETURNING ready_at"
REFRESH = f"UPDATE lanes SET ready_at = {_HEAD} WHERE queue = ? AND lane = ? AND node IS NULL"
FREE_NODE = f"{_GIVE_BACK} WHERE node = ?"
FREE_EVERYBODY = f"UPDATE lanes SET node = NULL, ready_at = {_HEAD} WHERE node IS NOT NULL"
RENEW = "UPDATE lanes SET ready_at = ? WHERE node = ?"

# Items.
NEWEST = "SELECT coalesce((SELECT put_at FROM items ORDER BY id DESC LIMIT 1), 0)"
LAST = "SELECT id, queue, lane FROM items WHERE id < ? ORDER BY id DESC LIMIT ?"
WAITING = f"SELECT {ITEM} FROM items WHERE queue = ? AND lane = ? AND state = 0 ORDER BY id"
IS_WAITING = "SELECT 1 FROM items WHERE id = ? AND state = 0"
NOTE = """UPDATE items SET note = ?1, progress = CASE note WHEN ?1 THEN progress ELSE ?6 END
    WHERE id = ?2 AND state = 0 AND version = COALESCE(?3, version)
    AND EXISTS (SELECT 1 FROM lanes WHERE lanes.queue = items.queue AND lanes.lane = items.lane
    AND lanes.queue = ?4 AND lanes.lane = ?5 AND epoch = ?6 AND node = ?7)"""
# Of a list of [id, version or null, note, queue, lane, epoch].
NOTE_ALL = f"""UPDATE items SET note = given.note,
    progress = CASE items.note WHEN given.note THEN progress ELSE given.epoch END
    FROM (SELECT {_FIELDS[0]} AS id, {_FIELDS[1]} AS version,
    {_FIELDS[2]} AS note, {_FIELDS[3]} AS queue, {_FIELDS[4]} AS lane, {_FIELDS[5]} AS epoch
    FROM json_each(?)) AS given CROSS JOIN lanes
    WHERE items.id = given.id AND state = 0 AND items.version = COALESCE(given.version, items.version)
    AND items.queue = given.queue AND items.lane = given.lane
    AND lanes.queue = given.queue AND lanes.lane = given.lane AND lanes.epoch = given.epoch AND node = ?"""
FINISH = """UPDATE items SET state = 1, ended_at = ?, note = COALESCE(?, note)
    WHERE id = ? AND version = ? AND state = 0"""
COUNT_ATTEMPT = """UPDATE items SET attempts = attempts + 1, run_at = max(run_at, ?)
    WHERE id = ? AND state = 0"""
BURY = """UPDATE items SET state = 2, ended_at = ?, reason = ?
    WHERE id = ? AND version = ? AND state = 0"""
CANCEL = f"""UPDATE items SET state = 3, ended_at = ?
    WHERE queue = ? AND lane = ? AND id < ? AND state = 0 AND note = '' RETURNING {ITEM}"""

WITHDRAW = """UPDATE items SET state = 3, ended_at = ?
    WHERE queue = ? AND lane = ? AND id = ? AND state = 0 AND note = ''"""

# Dead letters. A revived item leaves its slot to a newer one that waits there.
_DEAD = """SELECT id, queue, lane, body, CASE note WHEN '' THEN reason ELSE note || char(10) || reason END,
    attempts, version, put_at, ended_at FROM items WHERE state = 2 AND ended_at"""
DEAD = f"{_DEAD} <= ?1 AND (ended_at < ?1 OR id < ?2) ORDER BY ended_at DESC, id DESC LIMIT ?3"
DEAD_BESIDE = f"""{_DEAD} = (SELECT ended_at FROM items WHERE id = ?1 AND state = 2)
    AND (queue, lane) = (SELECT queue, lane FROM items WHERE id = ?1) ORDER BY id DESC"""
DEAD_BY_QUEUE = """SELECT queue, count(*) FROM items WHERE state = 2 AND ended_at IS NOT NULL AND body <> ''
    GROUP BY queue"""
BACKLOG = """SELECT queue, count(*), ? - min(ready_at) FROM lanes WHERE ready_at IS NOT NULL AND ready_at <= ?
    GROUP BY queue"""
WAITING_BY_QUEUE = "SELECT queue, count(*) FROM items WHERE state = 0 GROUP BY queue"
COUNT_WAITING = """SELECT count(*) FROM
    (SELECT 1 FROM items WHERE queue = ? AND state = 0 AND body <> '' LIMIT ?)"""
REVIVE = """UPDATE items SET state = 0, ended_at = NULL, reason = '', attempts = 0, run_at = ?,
    slot = CASE WHEN EXISTS (SELECT 1 FROM items AS newer WHERE newer.queue = items.queue
    AND newer.lane = items.lane AND newer.slot = items.slot AND newer.state = 0 AND newer.slot <> '')
    THEN '' ELSE slot END WHERE id = ? AND state = 2 RETURNING queue, lane"""
DISCARD = "DELETE FROM items WHERE id = ? AND state = 2"

# Documents. A new one starts above every version ever deleted: a stale writer never takes it for the old.
GET = "SELECT key, body, version FROM documents WHERE key = ?"
GET_ALL = "SELECT key, body, version FROM documents WHERE key IN (SELECT value FROM json_each(?))"
# With a second lower bound SQLite would step over every row between the two.
LIST = "SELECT key, body, version FROM documents WHERE key >= ? AND key < ? ORDER BY key LIMIT ?"
CREATE = """INSERT INTO documents (key, body, version, subjects)
    SELECT ?, ?, value + 1, ? FROM meta WHERE key = 'deleted' ON CONFLICT DO NOTHING RETURNING version"""
UPDATE = "UPDATE documents SET body = ?, version = version + 1, subjects = ? WHERE key = ? AND version = ?"
DELETE = "DELETE FROM documents WHERE key = ? RETURNING version"
DELETED = "UPDATE meta SET value = max(value, ?) WHERE key = 'deleted'"

HAS_FEEDBACK_TIMES = "SELECT 1 FROM sqlite_master WHERE name = 'feedback_times'"
FEEDBACK_PAGE = """SELECT at, documents.key, body, version FROM feedback_times
    CROSS JOIN documents ON documents.key = feedback_times.key
    WHERE (at, feedback_times.key) < (?, ?) AND at >= ? ORDER BY at DESC, feedback_times.key DESC LIMIT ?"""

# Counts.
KNOWN_NAME = "SELECT 1 FROM names WHERE queue = ? AND name = ?"
_COUNTS = ("turns", "metered", "input", "output", "unpriced", "cost")
_MORE = f"ON CONFLICT DO UPDATE SET {', '.join(f'{count} = {count} + excluded.{count}' for count in _COUNTS)}"
ADD_TALLY = (
    f"""INSERT INTO tallies (name, until, {", ".join(_COUNTS)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) {_MORE}"""
)
ADD_TALLIES = f"""INSERT INTO tallies (name, until, {", ".join(_COUNTS)}) SELECT {", ".join(_FIELDS)}
    FROM json_each(?) WHERE true {_MORE}"""
TALLIED = f"""SELECT name, {", ".join(_COUNTS)} FROM tallies
    WHERE name IN (SELECT value FROM json_each(?))"""
TALLIED_TURNS = "SELECT turns FROM tallies WHERE name = ?"
DELETE_TALLIES = "DELETE FROM tallies WHERE name >= ? AND name < ?"

# Retention, a slice at a time.
PRUNE_ITEMS = """DELETE FROM items WHERE id IN (
    SELECT id FROM items WHERE state = ? AND ended_at < ? ORDER BY ended_at LIMIT ?)"""
PRUNE_NAMES = """DELETE FROM names WHERE (queue, name) IN (
    SELECT queue, name FROM names WHERE put_at < ? ORDER BY put_at LIMIT ?)"""
LANES_SLICE_END = """SELECT queue, lane FROM lanes WHERE (queue, lane) > (?, ?) ORDER BY queue, lane
    LIMIT 1 OFFSET ?"""
PRUNE_LANES = """DELETE FROM lanes WHERE (queue, lane) > (?, ?) AND (queue, lane) <= (?, ?)
    AND ready_at IS NULL AND node IS NULL"""
PRUNE_LAST_LANES = """DELETE FROM lanes WHERE (queue, lane) > (?, ?)
    AND ready_at IS NULL AND node IS NULL"""
PRUNE_TALLIES = """DELETE FROM tallies WHERE name IN (
    SELECT name FROM tallies WHERE until < ? ORDER BY until LIMIT ?)"""
