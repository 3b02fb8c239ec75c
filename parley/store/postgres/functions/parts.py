"""What the functions share: their arguments, and the small ones inside them."""

# ruff: noqa: S608  (built from the constants of this package only)

from __future__ import annotations

ITEM = "id bigint, queue text, lane text, body text, note text, attempts int, version int, put_at float8"
PUTS = """queues_ text[], lanes_ text[], bodies_ text[], names_ text[], delays_ float8[], slots_ text[],
    max_waits_ float8[]"""
CLAIM_OF = "queue_ text, lane_ text, epoch_ bigint, node_ text"
# Plans are made while tables are young and empty, and kept: they must not read all of a table later. What
# that costs on paper must not make the server compile them: measured, 0.1 s for a plan that takes 20 µs.
ENTRY = "SET search_path FROM CURRENT SET enable_seqscan TO off SET jit TO off"

# What is asked for in an index's order must come by it, also where the server believes that there is next to
# nothing to sort.
ORDERED_ENTRY = f"{ENTRY} SET enable_sort TO off SET enable_bitmapscan TO off"

HEAD = """(SELECT run_at FROM items WHERE items.queue = queue_ AND items.lane = lane_ AND state = 0
    ORDER BY id LIMIT 1)"""

MOMENT = """CREATE FUNCTION moment(at_ float8) RETURNS float8 LANGUAGE sql VOLATILE AS
    $$ SELECT coalesce(at_, extract(epoch FROM clock_timestamp())::float8) $$"""

REFRESH = f"""CREATE FUNCTION refresh(queue_ text, lane_ text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE lanes SET ready_at = {HEAD} WHERE lanes.queue = queue_ AND lanes.lane = lane_ AND node IS NULL;
END $$"""

REARM = f"""CREATE FUNCTION rearm(queue_ text, lane_ text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE head float8 := {HEAD};
BEGIN
    UPDATE lanes SET node = NULL, ready_at = head WHERE lanes.queue = queue_ AND lanes.lane = lane_;
    IF head IS NOT NULL THEN
        PERFORM pg_notify(current_schema(), queue_);
    END IF;
END $$"""

# By the lane's key alone: with the node beside it, the server would look through all that the node holds.
HELD = f"""CREATE FUNCTION held({CLAIM_OF}) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE now record;
BEGIN
    SELECT epoch, node INTO now FROM lanes WHERE lanes.queue = queue_ AND lanes.lane = lane_ FOR UPDATE;
    RETURN FOUND AND now.epoch = epoch_ AND coalesce(now.node = node_, false);
END $$"""

# Locks the lanes of a whole batch in one order, so that two nodes never wait for each other.
HOLD = f"""CREATE FUNCTION hold(queues_ text[], lanes_ text[], made_ boolean[]) RETURNS void
LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    INSERT INTO lanes (queue, lane)
        SELECT q, l FROM unnest(queues_, lanes_, made_) AS t (q, l, made) WHERE made ORDER BY q, l
        ON CONFLICT DO NOTHING;
    PERFORM 1 FROM lanes WHERE (lanes.queue, lanes.lane) IN (SELECT * FROM unnest(queues_, lanes_))
        ORDER BY lanes.queue, lanes.lane FOR UPDATE;
END $$"""

STANDING = f"""CREATE FUNCTION standing({CLAIM_OF}, ids_ bigint[]) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    IF NOT held(queue_, lane_, epoch_, node_) THEN
        RETURN 'lost';
    END IF;
    -- Queue and lane besides the ids, or a plan from young days looks through all that waits.
    IF cardinality(ids_) = 0 OR EXISTS (SELECT 1 FROM items WHERE items.queue = queue_ AND items.lane = lane_
        AND id = ANY (ids_) AND state = 0)
    THEN
        RETURN 'ok';
    END IF;
    PERFORM rearm(queue_, lane_);
    RETURN 'gone';
END $$"""

# Ends items of a held lane; the lane stays held, unless every item was cancelled.
END_ITEMS = f"""CREATE FUNCTION end_items({CLAIM_OF}, ids_ bigint[], versions_ int[], state_ int, note_ text,
    reason_ text, now_ float8) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE items SET state = state_, ended_at = now_, note = coalesce(note_, note), reason = reason_
        FROM unnest(ids_, versions_) AS t (i, v)
        WHERE id = t.i AND version = t.v AND state = 0 AND queue = queue_ AND lane = lane_;
END $$"""
