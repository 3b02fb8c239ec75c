"""Counts that grow. Each node has rows of its own, so that none waits for another's; a count is their sum."""

# ruff: noqa: S608  (built from the constants of this package only)

from __future__ import annotations

from parley.store.postgres.functions.parts import CLAIM_OF, ENTRY, ORDERED_ENTRY, PUTS

AMOUNTS = ("turns", "metered", "input", "output", "unpriced", "cost")
_LISTED = ", ".join(AMOUNTS)
_TALLIES = f"""jsonb_to_recordset(tallies_) AS j (name text, until float8,
    {", ".join(f"{amount} bigint" for amount in AMOUNTS)}, most bigint)"""

TABLE = f"""CREATE TABLE tallies (
    name text COLLATE "C" NOT NULL,
    node text COLLATE "C" NOT NULL,
    until float8 NOT NULL,
    {", ".join(f"{amount} bigint NOT NULL" for amount in AMOUNTS)},
    PRIMARY KEY (name, node)
)"""

BY_AGE = "CREATE INDEX tallies_by_age ON tallies (until)"

ADD_TALLIES = f"""CREATE FUNCTION add_tallies(tallies_ jsonb, node_ text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tallies AS t (name, node, until, {_LISTED})
        SELECT name, node_, max(until), {", ".join(f"sum({amount})" for amount in AMOUNTS)}
        FROM {_TALLIES} GROUP BY name ORDER BY name
        ON CONFLICT (name, node) DO UPDATE SET
        {", ".join(f"{amount} = t.{amount} + excluded.{amount}" for amount in AMOUNTS)};
END $$"""

# Nodes do not wait for each other here: what begins in the same instant on two of them may pass together.
TALLY = f"""CREATE FUNCTION tally(tallies_ jsonb, once_ text, node_ text, at_ float8) RETURNS boolean
LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    IF once_ <> '' AND EXISTS (SELECT 1 FROM names WHERE queue = 'tallies' AND name = once_) THEN
        RETURN true;
    END IF;
    IF EXISTS (SELECT 1 FROM {_TALLIES} WHERE j.most > 0 AND j.most < j.turns +
        (SELECT coalesce(sum(t.turns), 0) FROM tallies t WHERE t.name = j.name))
    THEN
        RETURN false;
    END IF;
    IF once_ <> '' THEN
        INSERT INTO names VALUES ('tallies', once_, moment(at_)) ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            RETURN true;  -- another node was faster just now
        END IF;
    END IF;
    PERFORM add_tallies(tallies_, node_);
    RETURN true;
END $$"""

DONE_COUNTED = f"""CREATE FUNCTION done_counted({CLAIM_OF}, ids_ bigint[], versions_ int[], note_ text,
    keys_ text[], texts_ text[], read_ bigint[], {PUTS}, at_ float8, tallies_ jsonb) RETURNS text
LANGUAGE plpgsql {ENTRY} AS $$
DECLARE
    answer text := done(queue_, lane_, epoch_, node_, ids_, versions_, note_, keys_, texts_, read_,
        queues_, lanes_, bodies_, names_, delays_, slots_, max_waits_, at_);
BEGIN
    IF answer = 'ok' THEN
        PERFORM add_tallies(tallies_, node_);
    END IF;
    RETURN answer;
END $$"""

# One after the other, or the server may read all counts for the many.
UNCOUNT = f"""CREATE FUNCTION uncount(prefixes_ text[], highest_ text) RETURNS bigint
LANGUAGE plpgsql {ORDERED_ENTRY} AS $$
DECLARE
    prefix_ text;
    removed bigint := 0;
BEGIN
    FOREACH prefix_ IN ARRAY prefixes_ LOOP
        WITH gone AS (DELETE FROM tallies t WHERE t.name >= prefix_ AND t.name < prefix_ || highest_
            RETURNING t.name)
        SELECT removed + count(DISTINCT gone.name) INTO removed FROM gone;
    END LOOP;
    RETURN removed;
END $$"""

ALL = (TABLE, BY_AGE, ADD_TALLIES, TALLY, DONE_COUNTED)
"""The statements that make them, in the order of need."""
