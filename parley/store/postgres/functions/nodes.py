"""Nodes: what they say of themselves, and what only one of them may have."""

# ruff: noqa: S608  (built from the constants of this package only)

from __future__ import annotations

from parley.store.postgres.functions.parts import ENTRY

COLUMNS = """ALTER TABLE nodes
    ADD COLUMN since float8 NOT NULL DEFAULT extract(epoch FROM clock_timestamp()),
    ADD COLUMN report text NOT NULL DEFAULT ''"""

LEASES = """CREATE TABLE leases (
    name text COLLATE "C" PRIMARY KEY,
    node text COLLATE "C" NOT NULL,
    until float8 NOT NULL
)"""

TAKE_LEASE = f"""CREATE FUNCTION take_lease(name_ text, node_ text, seconds_ float8, at_ float8,
    OUT holder text, OUT remaining float8) LANGUAGE plpgsql {ENTRY} AS $$
DECLARE now_ float8 := moment(at_);
BEGIN
    INSERT INTO leases AS l VALUES (name_, node_, now_ + seconds_)
        ON CONFLICT (name) DO UPDATE SET node = excluded.node, until = excluded.until
        WHERE l.node = excluded.node OR l.until <= now_;
    SELECT l.node, l.until - now_ INTO holder, remaining FROM leases l WHERE l.name = name_;
END $$"""

DROP_LEASE = f"""CREATE FUNCTION drop_lease(name_ text, node_ text) RETURNS void
LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    DELETE FROM leases WHERE name = name_ AND node = node_;
    IF FOUND THEN
        PERFORM pg_notify(current_schema(), 'lease/' || name_);
    END IF;
END $$"""

FREE_NODE = f"""CREATE OR REPLACE FUNCTION free_node(node_ text) RETURNS void LANGUAGE plpgsql {ENTRY} AS $$
DECLARE each record;
BEGIN
    FOR each IN SELECT queue, lane FROM lanes WHERE node = node_ ORDER BY queue, lane FOR UPDATE LOOP
        PERFORM rearm(each.queue, each.lane);
    END LOOP;
    FOR each IN SELECT name FROM leases WHERE node = node_ ORDER BY name FOR UPDATE LOOP
        PERFORM drop_lease(each.name, node_);
    END LOOP;
    DELETE FROM nodes WHERE name = node_;
END $$"""

ALL = (COLUMNS, LEASES, TAKE_LEASE, DROP_LEASE, FREE_NODE)
"""The statements that make them, in the order of need."""
