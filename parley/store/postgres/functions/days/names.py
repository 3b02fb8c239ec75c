"""Names against duplicates, each in the partition of its day."""

# ruff: noqa: S608  (built from the constants of this package only)

from __future__ import annotations

from parley.store.postgres.functions import buckets, counters

OVERLAP = 60
"""Seconds of a day in which its names stand among those of the day before, too. No transaction takes so long:
the same name, put by another one just before midnight and not seen yet, is met there.
"""

# Ids of Slack and Telegram are `chat:number`, and numbers of messages that arrive together are near each
# other: so are their names in an index by this, and a turn seldom adds a page of it to the log. The first
# colon ends what was last, so that two names never become one.
LAST_PART_FIRST = """CREATE OR REPLACE FUNCTION last_part_first(name_ text) RETURNS text
LANGUAGE sql IMMUTABLE AS
    $$ SELECT reverse(split_part(reverse(name_), ':', 1)) || ':'
        || left(name_, length(name_) - length(split_part(reverse(name_), ':', 1))) $$"""

INDEX = 'queue, last_part_first(name) COLLATE "C"'
"""The unique index of a day's names; in partitions that were made before schema 16 it is `queue, name`."""


def _known(queue: str, name: str) -> str:
    """Return the condition that a name stands among those without a day or of any day, by either index."""
    return f"""(EXISTS (SELECT 1 FROM names n WHERE n.queue = {queue} AND n.name = {name})
        OR EXISTS (SELECT 1 FROM dated_names n WHERE n.queue = {queue} AND n.name = {name}
        AND last_part_first(n.name) COLLATE "C" = last_part_first({name}) COLLATE "C"))"""


INSERT_NAME = """CREATE FUNCTION insert_name(day_ int, queue_ text, name_ text, at_ float8, bucket_ smallint)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM days d WHERE d.kind = 'names' AND d.day = day_) THEN
        INSERT INTO dated_names (queue, name, put_at, bucket, day) VALUES (queue_, name_, at_, bucket_, day_)
            ON CONFLICT DO NOTHING;
    ELSE
        INSERT INTO names (queue, name, put_at, bucket) VALUES (queue_, name_, at_, bucket_)
            ON CONFLICT DO NOTHING;
    END IF;
    RETURN FOUND;
END $$"""

# Whether a name is new; then it is known from now on. Among the names without a day it stands only once.
NOTE_NAME = f"""CREATE OR REPLACE FUNCTION note_name(queue_ text, name_ text, at_ float8, bucket_ smallint)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE day_ int := day_of(at_);
BEGIN
    IF {_known("queue_", "name_")} THEN
        RETURN false;
    END IF;
    IF day_of(at_ - {OVERLAP}) < day_
        AND EXISTS (SELECT 1 FROM days d WHERE d.kind = 'names' AND d.day IN (day_ - 1, day_))
    THEN
        IF NOT insert_name(day_ - 1, queue_, name_, at_, bucket_) THEN
            RETURN false;
        END IF;
    END IF;
    RETURN insert_name(day_, queue_, name_, at_, bucket_);
END $$"""

_INSERT = """INSERT INTO names (queue, name, put_at, bucket)
                VALUES (each.queue, each.name, now_, bucket_of(each.lane)) ON CONFLICT DO NOTHING;
            IF NOT FOUND THEN"""
_NOTE = "IF NOT note_name(each.queue, each.name, now_, bucket_of(each.lane)) THEN"

PUT = buckets.PUT.replace(_INSERT, _NOTE, 1)

_TALLY_KNOWN = "EXISTS (SELECT 1 FROM names WHERE queue = 'tallies' AND name = once_)"
_TALLY_INSERT = """INSERT INTO names VALUES ('tallies', once_, moment(at_)) ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN"""

TALLY = (
    counters.TALLY.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION", 1)
    .replace(_TALLY_KNOWN, _known("'tallies'", "once_"), 1)
    .replace(_TALLY_INSERT, "IF NOT note_name('tallies', once_, moment(at_), NULL) THEN", 1)
)

ALL = (LAST_PART_FIRST, INSERT_NAME, NOTE_NAME, PUT, TALLY)
"""The statements that make them, in the order of need."""

IN_SCHEMA_16 = (LAST_PART_FIRST, NOTE_NAME, TALLY)
"""Those of them that schema 16 makes anew."""
