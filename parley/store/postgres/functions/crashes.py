"""Claims that vanished with their nodes: they are counted, so that what ends a node is found out."""

# ruff: noqa: S608  (built from the constants of this package only)

from __future__ import annotations

from parley.store.postgres.functions.parts import CLAIM_OF, ENTRY, HEAD, ITEM

# `claims` counts the claims in a row that were not given back, the present one too; `trials` is kept beside
# it. An item's `progress` is the epoch of the claim that last changed its note: a claim that got further does
# not count.
COLUMNS = (
    "ALTER TABLE lanes ADD COLUMN claims int NOT NULL DEFAULT 0, ADD COLUMN trials int NOT NULL DEFAULT 0",
    "ALTER TABLE items ADD COLUMN progress bigint NOT NULL DEFAULT 0",
)

# The lane of a node that is gone, or of a claim whose answer never came: it was not given back.
LAPSE = f"""CREATE FUNCTION lapse(queue_ text, lane_ text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE head float8 := {HEAD};
BEGIN
    UPDATE lanes SET node = NULL, ready_at = head WHERE lanes.queue = queue_ AND lanes.lane = lane_;
    IF head IS NOT NULL THEN
        PERFORM pg_notify(current_schema(), queue_);
    END IF;
END $$"""

REARM = f"""CREATE OR REPLACE FUNCTION rearm(queue_ text, lane_ text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE head float8 := {HEAD};
BEGIN
    UPDATE lanes SET node = NULL, ready_at = head, claims = 0, trials = 0
        WHERE lanes.queue = queue_ AND lanes.lane = lane_;
    IF head IS NOT NULL THEN
        PERFORM pg_notify(current_schema(), queue_);
    END IF;
END $$"""

# Lanes first, their heads after it: one statement for both would read heads that are finished already.
CLAIM_COUNTED = f"""CREATE FUNCTION claim_counted(queue_ text, most_ bigint, node_ text, lease_ float8,
    ticket_ bigint, doubtful_ bigint[], at_ float8)
    RETURNS TABLE (epoch bigint, crashes int, tried int, {ITEM}) LANGUAGE plpgsql {ENTRY} AS $$
#variable_conflict use_column
DECLARE
    now_ float8 := moment(at_);
    each record;
    lapsed_ text[];
    epoch_ bigint;
    crashes_ int;
    trials_ int;
BEGIN
    SELECT array_agg(name) INTO lapsed_ FROM nodes WHERE until <= now_;
    FOR each IN SELECT l.queue, l.lane FROM lanes l WHERE l.node = ANY (lapsed_) FOR UPDATE SKIP LOCKED LOOP
        PERFORM lapse(each.queue, each.lane);
    END LOOP;
    IF cardinality(doubtful_) > 0 THEN
        FOR each IN SELECT l.queue, l.lane FROM lanes l
            WHERE l.node = node_ AND l.ticket = ANY (doubtful_) FOR UPDATE
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

# Of nodes that are older than this schema: they run on while others are updated.
CLAIM = f"""CREATE OR REPLACE FUNCTION claim(queue_ text, most_ bigint, node_ text, lease_ float8,
    ticket_ bigint, doubtful_ bigint[], at_ float8) RETURNS TABLE (epoch bigint, {ITEM})
LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    RETURN QUERY SELECT c.epoch, c.id, c.queue, c.lane, c.body, c.note, c.attempts, c.version, c.put_at
        FROM claim_counted(queue_, most_, node_, lease_, ticket_, doubtful_, at_) c;
END $$"""

NOTE = f"""CREATE OR REPLACE FUNCTION note({CLAIM_OF}, item_ bigint, version_ int, note_ text) RETURNS text
LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    IF NOT held(queue_, lane_, epoch_, node_) THEN
        RETURN 'lost';
    END IF;
    UPDATE items SET note = note_, progress = CASE note WHEN note_ THEN progress ELSE epoch_ END
        WHERE id = item_ AND queue = queue_ AND lane = lane_ AND state = 0
        AND version = coalesce(version_, version);
    IF FOUND OR EXISTS (SELECT 1 FROM items WHERE queue = queue_ AND lane = lane_ AND id = item_ AND state = 0
    ) THEN
        RETURN 'ok';
    END IF;
    PERFORM rearm(queue_, lane_);
    RETURN 'gone';
END $$"""

SET_TRIALS = f"""CREATE FUNCTION set_trials({CLAIM_OF}, trials_ int) RETURNS text
LANGUAGE plpgsql {ENTRY} AS $$
BEGIN
    IF NOT held(queue_, lane_, epoch_, node_) THEN
        RETURN 'lost';
    END IF;
    UPDATE lanes SET trials = trials_ WHERE lanes.queue = queue_ AND lanes.lane = lane_;
    RETURN 'ok';
END $$"""

ALL = (*COLUMNS, LAPSE, REARM, CLAIM_COUNTED, CLAIM, NOTE, SET_TRIALS)
"""The statements that make them, in the order of need."""
