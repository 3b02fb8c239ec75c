"""Partitions by day (UTC, by the server's clock): made before their day begins, dropped after their time."""

# ruff: noqa: S608  (built from the constants of this file only)

from __future__ import annotations

from parley.store.postgres.functions.days.names import INDEX
from parley.store.postgres.functions.parts import ENTRY

AHEAD = 2
"""Days that have partitions before they begin: each hour they are looked after."""

_COLUMNS = """id, queue, lane, slot, state, attempts, version, put_at, first_at, run_at, ended_at, body, note,
    reason, subjects"""

# A name of a day's first minute stands among those of the day before, too: it is seen once.
ALL_NAMES = """CREATE OR REPLACE VIEW all_names AS SELECT queue, name, put_at, bucket FROM names
    UNION SELECT queue, name, put_at, bucket FROM dated_names"""

TABLES = (
    "CREATE TABLE ended_items (LIKE items, day int NOT NULL) PARTITION BY LIST (day)",
    """CREATE TABLE ended_subjects (subject bigint NOT NULL, id bigint NOT NULL, day int NOT NULL)
        PARTITION BY LIST (day)""",
    "CREATE TABLE dated_names (LIKE names, day int NOT NULL) PARTITION BY LIST (day)",
    "CREATE TABLE days (kind text NOT NULL, day int NOT NULL, PRIMARY KEY (kind, day))",
    f"""CREATE VIEW all_items AS SELECT {_COLUMNS} FROM items
        UNION ALL SELECT {_COLUMNS} FROM ended_items""",
    ALL_NAMES,
)

DAY_OF = """CREATE FUNCTION day_of(at_ float8) RETURNS int LANGUAGE sql IMMUTABLE STRICT AS
    $$ SELECT floor(at_ / 86400)::int $$"""

# Attaching a table keeps nobody from reading and writing; making it in its place would.
MAKE_PARTITION = """CREATE FUNCTION make_partition(parent_ text, day_ int, index_ text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE name_ text := parent_ || '_' || day_;
BEGIN
    EXECUTE format('CREATE TABLE %I (LIKE %I)', name_, parent_);
    EXECUTE format('CREATE UNIQUE INDEX ON %I (%s)', name_, index_);
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES IN (%s)', parent_, name_, day_);
END $$"""

MAKE_DAY = f"""CREATE OR REPLACE FUNCTION make_day(kind_ text, day_ int) RETURNS void
LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    INSERT INTO days VALUES (kind_, day_) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF kind_ = 'items' THEN
        PERFORM make_partition('ended_items', day_, 'id');
        PERFORM make_partition('ended_subjects', day_, '(id >> 14), subject, id');
    ELSE
        PERFORM make_partition('dated_names', day_, '{INDEX}');
    END IF;
END $$"""

# The days to come only: a day's rows are to be in one place, which `note_name` relies on.
MAKE_DAYS = f"""CREATE FUNCTION make_days(kind_ text) RETURNS void LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    FOR ahead IN 1 .. {AHEAD} LOOP
        PERFORM make_day(kind_, day_of(moment(NULL)) + ahead);
    END LOOP;
EXCEPTION WHEN insufficient_privilege THEN
    RETURN;  -- of a user who may not make tables: the rows stay where they are
END $$"""

DROP_PARTITION = """CREATE OR REPLACE FUNCTION drop_partition(parent_ text, day_ int) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    name_ text := parent_ || '_' || day_;
    rows_ bigint := (SELECT c.reltuples FROM pg_class c WHERE c.oid = name_::regclass);
BEGIN
    IF rows_ <= 0 THEN  -- so young or small that nobody has looked: -1, before PostgreSQL 14 it is 0
        EXECUTE format('SELECT count(*) FROM %I', name_) INTO rows_;
    END IF;
    EXECUTE format('DROP TABLE %I', name_);
    RETURN rows_;
END $$"""

# What a user does who may not drop tables: there are the days with which the schema began.
CLEAR_DAYS = f"""CREATE OR REPLACE FUNCTION clear_days(kind_ text, before_ float8, most_ bigint)
RETURNS bigint LANGUAGE plpgsql {ENTRY} AS $$
DECLARE
    over_ int[] := ARRAY(SELECT d.day FROM days d WHERE d.kind = kind_ AND (d.day + 1) * 86400.0 <= before_);
    gone bigint;
BEGIN
    IF kind_ = 'items' THEN
        DELETE FROM ended_items e WHERE e.day = ANY (over_) AND e.id IN (SELECT o.id FROM ended_items o
            WHERE o.day = ANY (over_) LIMIT most_);
    ELSE
        DELETE FROM dated_names n WHERE n.day = ANY (over_)
            AND (n.queue, n.name, last_part_first(n.name) COLLATE "C") IN (
            SELECT o.queue, o.name, last_part_first(o.name) COLLATE "C" FROM dated_names o
            WHERE o.day = ANY (over_) LIMIT most_);
    END IF;
    GET DIAGNOSTICS gone = ROW_COUNT;
    RETURN gone;
END $$"""

# Dropping waits for whoever reads the table (a backup does for hours), and whoever writes waits behind that:
# so it waits for a moment only, and is tried again with the next retention. Returns about how many rows went:
# nobody counts them for it.
DROP_DAYS = f"""CREATE FUNCTION drop_days(kind_ text, before_ float8, most_ bigint) RETURNS bigint
LANGUAGE plpgsql {ENTRY} SET lock_timeout TO '200ms' AS $$
DECLARE
    each record;
    gone bigint := 0;
BEGIN
    FOR each IN SELECT d.day FROM days d WHERE d.kind = kind_ AND (d.day + 1) * 86400.0 <= before_
        FOR UPDATE SKIP LOCKED
    LOOP
        IF kind_ = 'items' THEN
            gone := gone + drop_partition('ended_items', each.day);
            PERFORM drop_partition('ended_subjects', each.day);
        ELSE
            gone := gone + drop_partition('dated_names', each.day);
        END IF;
        DELETE FROM days d WHERE d.kind = kind_ AND d.day = each.day;
    END LOOP;
    RETURN gone;
EXCEPTION
    WHEN lock_not_available THEN
        RETURN 0;
    WHEN insufficient_privilege THEN
        RETURN clear_days(kind_, before_, most_);
END $$"""

FIRST = f"""SELECT make_day(kind, day_of(moment(NULL)) + ahead)
    FROM unnest('{{items,names}}'::text[]) AS kind, generate_series(0, {AHEAD}) AS ahead
    WHERE NOT EXISTS (SELECT 1 FROM items) AND NOT EXISTS (SELECT 1 FROM names)"""
"""In a new schema, which nobody uses yet, today has partitions, too."""

ALL = (*TABLES, DAY_OF, MAKE_PARTITION, MAKE_DAY, MAKE_DAYS, DROP_PARTITION, CLEAR_DAYS, DROP_DAYS)
"""The statements that make them, in the order of need."""

IN_SCHEMA_16 = (MAKE_DAY, CLEAR_DAYS)
"""Those of them that schema 16 makes anew."""
