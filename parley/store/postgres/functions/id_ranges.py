"""The index of whom items are about, in ranges of ids: what is written at one time is in one place of it.

By the person first, each item would change another page, and the first change of a page after a checkpoint
writes the whole page to the log: measured, 2.7 of 12.4 kB a turn in a store of 100,000 conversations.
"""

# ruff: noqa: S608  (built from the constants of this file only)

from __future__ import annotations

from parley.store.postgres.functions.parts import ENTRY, ORDERED_ENTRY

# 16,384 ids, about 150 pages: few enough that each is written to many times between two checkpoints, and of
# 40 million items there are 2,400 ranges to look into.
_RANGE = "({row}.id >> 14)"
_RANGE_OF_ROW = _RANGE.format(row="s")

OF_OLD = f"s.subject = ANY (OLD.subjects) AND s.id = OLD.id AND {_RANGE_OF_ROW} = {_RANGE.format(row='OLD')}"

BY_RANGE = "CREATE UNIQUE INDEX item_subjects_by_range ON item_subjects ((id >> 14), subject, id)"
BY_SUBJECT = "ALTER TABLE item_subjects DROP CONSTRAINT item_subjects_pkey"

BROUGHT = f"""CREATE OR REPLACE FUNCTION items_brought() RETURNS trigger LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM item_subjects s WHERE {OF_OLD};
    END IF;
    INSERT INTO unindexed_items VALUES (NEW.id) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$"""

INDEXED = f"""CREATE OR REPLACE FUNCTION items_indexed() RETURNS trigger LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM item_subjects s WHERE {OF_OLD};
        DELETE FROM unindexed_items u WHERE OLD.subjects IS NULL AND u.id = NEW.id;
    END IF;
    INSERT INTO item_subjects SELECT unnest(NEW.subjects), NEW.id ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$"""

REMOVED = f"""CREATE OR REPLACE FUNCTION items_removed() RETURNS trigger LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    DELETE FROM item_subjects s WHERE {OF_OLD};
    DELETE FROM unindexed_items u WHERE OLD.subjects IS NULL AND u.id = OLD.id;
    RETURN NULL;
END $$"""


_BLOCK = 64
"""Ranges of one query. With one query each, a lookup of six names in 300 ranges took 26 ms of CPU; so 10."""


def lookup_of(function: str, table: str, where: str = "") -> str:
    """Return the statement that makes a lookup in a table of subjects, where `where` is so.

    It goes from one range that has rows to the next that has some; in each by the index alone.
    """
    following = f"SELECT {_RANGE_OF_ROW} FROM {table} s WHERE {where}{_RANGE_OF_ROW} > r.range"
    return f"""{function} RETURNS bigint[] LANGUAGE plpgsql {ORDERED_ENTRY} AS $$
DECLARE
    found_ bigint[] := '{{}}';
    here_ bigint[];
    range_ bigint := after_ >> 14;
BEGIN
    WHILE range_ IS NOT NULL AND cardinality(found_) < most_ LOOP
        WITH RECURSIVE block (range, place) AS (
            SELECT range_, 0
            UNION ALL
            SELECT ({following} ORDER BY {_RANGE_OF_ROW} LIMIT 1), r.place + 1
                FROM block r WHERE r.range IS NOT NULL AND r.place < {_BLOCK})
        SELECT ARRAY(SELECT DISTINCT f.id FROM block b CROSS JOIN unnest(subjects_) AS t (subject)
            CROSS JOIN LATERAL (SELECT s.id FROM {table} s WHERE {where}{_RANGE_OF_ROW} = b.range
                AND s.subject = t.subject AND s.id > after_ ORDER BY s.id LIMIT most_) f
            WHERE b.place < {_BLOCK} ORDER BY f.id LIMIT most_ - cardinality(found_)),
            (SELECT b.range FROM block b WHERE b.place = {_BLOCK})
            INTO here_, range_;
        found_ := found_ || here_;
    END LOOP;
    RETURN found_;
END $$"""


ARGUMENTS = "subjects_ bigint[], after_ bigint, most_ bigint"

ABOUT = lookup_of(f"CREATE OR REPLACE FUNCTION items_about({ARGUMENTS})", "item_subjects")

ALL = (BY_RANGE, BY_SUBJECT, BROUGHT, INDEXED, REMOVED, ABOUT)
"""The statements that make them, in the order of need."""
