"""Items that are done go to the partition of the day; looked up they are where they were."""

# ruff: noqa: S608  (built from the constants of this package only)

from __future__ import annotations

from parley.store.postgres.functions.id_ranges import ARGUMENTS, OF_OLD, lookup_of
from parley.store.postgres.functions.parts import CLAIM_OF, ENTRY, ITEM, ORDERED_ENTRY

_KEPT = "id, queue, lane, slot, attempts, version, put_at, first_at, run_at, body, subjects, progress"

# Ends items of a held lane; the lane stays held, unless every item was cancelled. What nobody has indexed yet
# stays where its index is made.
END_ITEMS = f"""CREATE OR REPLACE FUNCTION end_items({CLAIM_OF}, ids_ bigint[], versions_ int[], state_ int,
    note_ text, reason_ text, now_ float8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    day_ int := day_of(now_);
    moved bigint := 0;
BEGIN
    IF state_ = 1 AND EXISTS (SELECT 1 FROM days d WHERE d.kind = 'items' AND d.day = day_) THEN
        WITH gone AS (DELETE FROM items i USING unnest(ids_, versions_) AS t (i, v)
            WHERE i.id = t.i AND i.version = t.v AND i.state = 0 AND i.queue = queue_ AND i.lane = lane_
            AND i.subjects IS NOT NULL RETURNING i.*),
        kept AS (INSERT INTO ended_items ({_KEPT}, state, ended_at, note, reason, day)
            SELECT {_KEPT}, state_, now_, coalesce(note_, note), reason_, day_ FROM gone),
        found AS (INSERT INTO ended_subjects SELECT unnest(subjects), id, day_ FROM gone)
        SELECT count(*) INTO moved FROM gone;
    END IF;
    IF moved < cardinality(ids_) THEN
        UPDATE items SET state = state_, ended_at = now_, note = coalesce(note_, note), reason = reason_
            FROM unnest(ids_, versions_) AS t (i, v)
            WHERE id = t.i AND version = t.v AND state = 0 AND queue = queue_ AND lane = lane_;
    END IF;
END $$"""

REMOVED = f"""CREATE FUNCTION ended_removed() RETURNS trigger LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    DELETE FROM ended_subjects s WHERE s.day = OLD.day AND {OF_OLD};
    RETURN NULL;
END $$"""

TRIGGER = "CREATE TRIGGER removed AFTER DELETE ON ended_items FOR EACH ROW EXECUTE FUNCTION ended_removed()"

_LOOKUP = "CREATE OR REPLACE FUNCTION"
OPEN_ABOUT = lookup_of(f"{_LOOKUP} open_items_about({ARGUMENTS})", "item_subjects")
DAY_ABOUT = lookup_of(
    f"{_LOOKUP} ended_items_about(day_ int, {ARGUMENTS})", "ended_subjects", "s.day = day_ AND "
)
ABOUT = f"""CREATE OR REPLACE FUNCTION items_about({ARGUMENTS}) RETURNS bigint[]
LANGUAGE plpgsql {ORDERED_ENTRY} AS $$
DECLARE
    found_ bigint[] := open_items_about(subjects_, after_, most_);
    day_ int;
BEGIN
    FOR day_ IN SELECT d.day FROM days d WHERE d.kind = 'items' LOOP
        found_ := found_ || ended_items_about(day_, subjects_, after_, most_);
    END LOOP;
    RETURN ARRAY(SELECT DISTINCT id FROM unnest(found_) AS f (id) ORDER BY id LIMIT most_);
END $$"""

# In the order of the ids, whatever the server believes of the tables: as few rows of each as are asked for.
NEWEST = f"""CREATE FUNCTION newest_items(before_ bigint, most_ bigint)
RETURNS TABLE (id bigint, queue text, lane text) LANGUAGE plpgsql {ORDERED_ENTRY} AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT a.id, a.queue, a.lane FROM all_items a WHERE a.id < before_
        ORDER BY a.id DESC LIMIT most_;
END $$"""

PAGE_END = f"""CREATE FUNCTION end_of_page(after_ bigint, most_ bigint) RETURNS bigint
LANGUAGE plpgsql {ORDERED_ENTRY} AS $$
BEGIN
    RETURN (SELECT max(id) FROM (SELECT a.id FROM all_items a WHERE a.id > after_
        ORDER BY a.id LIMIT most_) AS slice);
END $$"""

# By a range, or the server, which knows then that all have one time, may read all of them by their ids.
DEAD_BESIDE = f"""CREATE FUNCTION dead_beside(item_ bigint) RETURNS TABLE ({ITEM}, ended_at float8)
LANGUAGE plpgsql {ORDERED_ENTRY} AS $$
#variable_conflict use_column
DECLARE one record;
BEGIN
    SELECT i.queue, i.lane, i.ended_at INTO one FROM items i WHERE i.id = item_ AND i.state = 2;
    RETURN QUERY SELECT i.id, i.queue, i.lane, i.body,
        CASE i.note WHEN '' THEN i.reason ELSE i.note || chr(10) || i.reason END, i.attempts, i.version,
        i.put_at, i.ended_at FROM items i WHERE i.state = 2 AND i.ended_at <= one.ended_at
        AND i.ended_at >= one.ended_at AND i.queue = one.queue AND i.lane = one.lane
        ORDER BY i.ended_at DESC, i.id DESC;
END $$"""

ALL = (END_ITEMS, REMOVED, TRIGGER, OPEN_ABOUT, DAY_ABOUT, ABOUT, NEWEST, PAGE_END, DEAD_BESIDE)
"""The statements that make them, in the order of need."""

IN_BLOCKS = (OPEN_ABOUT, DAY_ABOUT)
"""The lookups, made anew: in schema 14 they had a query for each range."""
