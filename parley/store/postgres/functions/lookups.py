"""Looking for work. The plans are safe whatever the server believes of its tables: right after a start it
believes that they are empty, and in the night that no lane is ready.
"""

# ruff: noqa: S608  (built from the constants of this package only)

from __future__ import annotations

from parley.store.postgres.functions.parts import ITEM, ORDERED_ENTRY

# Only held lanes have a node, and those are not in the index of what is ready: said here, or the server may
# look for them there.
CLAIM_COUNTED = f"""CREATE OR REPLACE FUNCTION claim_counted(queue_ text, most_ bigint, node_ text,
    lease_ float8, ticket_ bigint, doubtful_ bigint[], at_ float8)
    RETURNS TABLE (epoch bigint, crashes int, tried int, {ITEM}) LANGUAGE plpgsql {ORDERED_ENTRY} AS $$
#variable_conflict use_column
DECLARE
    now_ float8 := moment(at_);
    lapsed_ text;
    each record;
    epoch_ bigint;
    crashes_ int;
    trials_ int;
BEGIN
    FOR lapsed_ IN SELECT name FROM nodes WHERE until <= now_ LOOP
        FOR each IN SELECT l.queue, l.lane FROM lanes l WHERE l.node = lapsed_ AND l.ready_at IS NULL
            FOR UPDATE SKIP LOCKED
        LOOP
            PERFORM lapse(each.queue, each.lane);
        END LOOP;
    END LOOP;
    IF cardinality(doubtful_) > 0 THEN
        FOR each IN SELECT l.queue, l.lane FROM lanes l
            WHERE l.node = node_ AND l.ready_at IS NULL AND l.ticket = ANY (doubtful_) FOR UPDATE
        LOOP
            UPDATE lanes l SET claims = greatest(l.claims - 1, 0)  -- nobody began to work on it
                WHERE l.queue = each.queue AND l.lane = each.lane;
            PERFORM lapse(each.queue, each.lane);
        END LOOP;
    END IF;
    INSERT INTO nodes AS n (name, until) VALUES (node_, now_ + lease_)
        ON CONFLICT (name) DO UPDATE SET until = greatest(n.until, excluded.until);
    FOR each IN SELECT l.lane, l.epoch, l.claims, l.trials FROM lanes l
        WHERE l.queue = queue_ AND l.ready_at <= now_ ORDER BY l.ready_at LIMIT most_ FOR UPDATE SKIP LOCKED
    LOOP
        crashes_ := each.claims;
        trials_ := each.trials;
        IF crashes_ > 0 AND each.epoch = (SELECT i.progress FROM items i
            WHERE i.queue = queue_ AND i.lane = each.lane AND i.state = 0 ORDER BY i.id LIMIT 1)
        THEN
            crashes_ := 0;
            trials_ := 0;
        END IF;
        UPDATE lanes l SET epoch = nextval('epochs'), node = node_, ticket = ticket_, claimed_at = now_,
            ready_at = NULL, claims = crashes_ + 1, trials = trials_
            WHERE l.queue = queue_ AND l.lane = each.lane RETURNING l.epoch INTO epoch_;
        RETURN QUERY SELECT epoch_, crashes_, trials_, w.id, w.queue, w.lane, w.body, w.note, w.attempts,
            w.version, w.put_at
            FROM (SELECT h.*, bool_and(h.run_at <= now_) OVER (ORDER BY h.id) AS due FROM (
                SELECT * FROM items i WHERE i.queue = queue_ AND i.lane = each.lane AND i.state = 0
                ORDER BY i.id LIMIT 100) h) w WHERE w.due ORDER BY w.id;
        IF NOT FOUND THEN
            UPDATE lanes l SET claims = crashes_ WHERE l.queue = queue_ AND l.lane = each.lane;
            PERFORM lapse(queue_, each.lane);  -- a lapsed lane with nothing to do yet
        END IF;
    END LOOP;
END $$"""

# The seconds until a queue may have something to claim; NULL: nothing is in sight. What a node holds is due
# when its lease is over.
NEXT_READY = f"""CREATE FUNCTION next_ready(queue_ text, at_ float8) RETURNS float8
LANGUAGE plpgsql {ORDERED_ENTRY} AS $$
DECLARE
    due float8;
    each record;
BEGIN
    SELECT l.ready_at INTO due FROM lanes l WHERE l.queue = queue_ AND l.ready_at IS NOT NULL
        ORDER BY l.ready_at LIMIT 1;
    FOR each IN SELECT name, until FROM nodes WHERE due IS NULL OR until < due LOOP
        PERFORM 1 FROM lanes l WHERE l.node = each.name AND l.queue = queue_ AND l.ready_at IS NULL LIMIT 1;
        IF FOUND THEN
            due := least(due, each.until);
        END IF;
    END LOOP;
    RETURN due - moment(at_);
END $$"""

DEAD_LETTERS = f"""CREATE FUNCTION dead_letters(most_ bigint) RETURNS TABLE ({ITEM})
LANGUAGE plpgsql {ORDERED_ENTRY} AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT i.id, i.queue, i.lane, i.body,
        CASE i.note WHEN '' THEN i.reason ELSE i.note || chr(10) || i.reason END, i.attempts, i.version,
        i.put_at FROM items i WHERE i.state = 2 AND i.ended_at IS NOT NULL
        ORDER BY i.ended_at DESC, i.id DESC LIMIT most_;
END $$"""

DEAD_PAGE = f"""CREATE FUNCTION dead_page(most_ bigint, at_ float8, item_ bigint)
RETURNS TABLE ({ITEM}, ended_at float8) LANGUAGE plpgsql {ORDERED_ENTRY} AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT i.id, i.queue, i.lane, i.body,
        CASE i.note WHEN '' THEN i.reason ELSE i.note || chr(10) || i.reason END, i.attempts, i.version,
        i.put_at, i.ended_at FROM items i WHERE i.state = 2 AND i.ended_at <= at_
        AND (i.ended_at < at_ OR i.id < item_) ORDER BY i.ended_at DESC, i.id DESC LIMIT most_;
END $$"""

# Looks at so many lanes beyond the last one, in the order of their keys, and removes the empty ones: each is
# looked at once, however many of them are busy.
PRUNE_LANES = f"""CREATE FUNCTION prune_lanes(queue_ text, lane_ text, most_ bigint,
    OUT gone bigint, OUT last_queue text, OUT last_lane text) LANGUAGE plpgsql {ORDERED_ENTRY} AS $$
DECLARE each record;
BEGIN
    gone := 0;
    FOR each IN SELECT l.queue, l.lane, l.ready_at IS NULL AND l.node IS NULL AS empty FROM lanes l
        WHERE (l.queue, l.lane) > (queue_, lane_) ORDER BY l.queue, l.lane LIMIT most_
    LOOP
        last_queue := each.queue;
        last_lane := each.lane;
        IF each.empty THEN
            DELETE FROM lanes l WHERE l.queue = each.queue AND l.lane = each.lane
                AND l.ready_at IS NULL AND l.node IS NULL;
            IF FOUND THEN
                gone := gone + 1;
            END IF;
        END IF;
    END LOOP;
END $$"""

# Keys from `prefix_` on to `last_`, beyond `after_` where that is further. With two lower bounds in one
# condition the server may step over every row between them.
DOCUMENT_PAGE = f"""CREATE FUNCTION document_page(prefix_ text, last_ text, after_ text, most_ bigint)
RETURNS TABLE (key text, body text, version bigint) LANGUAGE plpgsql {ORDERED_ENTRY} AS $$
#variable_conflict use_column
BEGIN
    IF after_ COLLATE "C" >= prefix_ COLLATE "C" THEN
        RETURN QUERY SELECT d.key, d.body, d.version FROM documents d WHERE d.key > after_ AND d.key < last_
            ORDER BY d.key LIMIT most_;
    ELSE
        RETURN QUERY SELECT d.key, d.body, d.version FROM documents d WHERE d.key >= prefix_
            AND d.key < last_ ORDER BY d.key LIMIT most_;
    END IF;
END $$"""

ALL = (CLAIM_COUNTED, NEXT_READY, DEAD_LETTERS, PRUNE_LANES, DOCUMENT_PAGE)
"""The statements that make them, in the order of need."""
