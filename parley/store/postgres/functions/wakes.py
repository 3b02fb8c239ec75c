"""Who is told of work: the functions say when lanes come free, and the node that asked wakes one node.

Those of earlier steps notify all nodes themselves, for nodes that are older than this schema. What is rare
(a lane given back, cancelled, revived or lapsed) still does, for whoever asks.
"""

# ruff: noqa: S608  (built from the constants of this package only)

from __future__ import annotations

from parley.store.postgres.functions.parts import CLAIM_OF, ENTRY, HEAD, ORDERED_ENTRY, PUTS

# A node hears what is for it alone on its `channel`; '' is an older node, or one that hears nothing: it is
# told where all listen. `held` is how many lanes a node held at its last sign of life.
COLUMNS = """ALTER TABLE nodes ADD COLUMN channel text COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN held bigint NOT NULL DEFAULT 0"""

# Gives a lane back and tells no node: returns when it is ready, NULL where nothing waits in it.
FREE_LANE = f"""CREATE FUNCTION free_lane(queue_ text, lane_ text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE head float8 := {HEAD};
BEGIN
    UPDATE lanes SET node = NULL, ready_at = head, claims = 0, trials = 0
        WHERE lanes.queue = queue_ AND lanes.lane = lane_;
    RETURN head;
END $$"""

REARM = """CREATE OR REPLACE FUNCTION rearm(queue_ text, lane_ text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF free_lane(queue_, lane_) IS NOT NULL THEN
        PERFORM pg_notify(current_schema(), queue_);
    END IF;
END $$"""

# `due` says of each put in how many seconds its lane is ready; NULL while a node holds the lane, and for a
# name that is known. The upsert locks the lane, even where it changes nothing: ids of one lane grow in the
# order of commits.
PUT = f"""CREATE FUNCTION put_ready({PUTS}, abouts_ text[], at_ float8, OUT ids bigint[], OUT due float8[])
LANGUAGE plpgsql {ENTRY} AS $$
DECLARE
    now_ float8 := moment(at_);
    each record;
    ready float8;
    is_known boolean;
    item bigint;
BEGIN
    ids := '{{}}';
    due := '{{}}';
    FOR each IN SELECT * FROM unnest(queues_, lanes_, bodies_, names_, delays_, slots_, max_waits_, abouts_)
        WITH ORDINALITY AS t (queue, lane, body, name, delay, slot, max_wait, about, n) ORDER BY n
    LOOP
        item := NULL;
        IF each.name <> '' THEN
            INSERT INTO names VALUES (each.queue, each.name, now_) ON CONFLICT DO NOTHING;
            IF NOT FOUND THEN
                ids := ids || item;
                due := due || NULL::float8;
                CONTINUE;
            END IF;
        END IF;
        ready := now_ + greatest(each.delay, 0);
        IF each.max_wait > 0 THEN
            ready := least(ready, now_ + each.max_wait);
        END IF;
        INSERT INTO lanes AS l (queue, lane, ready_at) VALUES (each.queue, each.lane, ready)
            ON CONFLICT (queue, lane) DO UPDATE SET ready_at = excluded.ready_at
            WHERE l.ready_at IS NULL AND l.node IS NULL;
        is_known := FOUND AND each.slot = '';
        IF each.slot <> '' THEN
            item := replace_slot(each.queue, each.lane, each.slot, each.body, each.delay, each.max_wait,
                now_);
        END IF;
        IF item IS NULL THEN
            INSERT INTO items (queue, lane, slot, body, put_at, first_at, run_at, subjects)
                VALUES (each.queue, each.lane, each.slot, each.body, now_, now_, ready, each.about::bigint[])
                RETURNING id INTO item;
        ELSE
            UPDATE items SET subjects = each.about::bigint[]
                WHERE id = item AND subjects IS DISTINCT FROM each.about::bigint[];
        END IF;
        IF NOT is_known THEN
            SELECT l.ready_at INTO ready FROM lanes l WHERE l.queue = each.queue AND l.lane = each.lane;
        END IF;
        ids := ids || item;
        due := due || ready - now_;
    END LOOP;
END $$"""

# Of older nodes, as the functions below with the names of earlier steps.
OLD_PUT = f"""CREATE OR REPLACE FUNCTION put_about({PUTS}, abouts_ text[], at_ float8) RETURNS bigint[]
LANGUAGE plpgsql {ENTRY} AS $$
DECLARE made record;
BEGIN
    SELECT * INTO made FROM put_ready(queues_, lanes_, bodies_, names_, delays_, slots_, max_waits_, abouts_,
        at_);
    PERFORM pg_notify(current_schema(), t.queue) FROM unnest(queues_, made.due) AS t (queue, due)
        WHERE t.due IS NOT NULL;
    RETURN made.ids;
END $$"""

# `due` begins with the lane that is given back; those of the follow-ups come after it.
DONE = f"""CREATE FUNCTION done_ready({CLAIM_OF}, ids_ bigint[], versions_ int[], note_ text, keys_ text[],
    texts_ text[], read_ bigint[], {PUTS}, at_ float8, tallies_ jsonb, abouts_ text[],
    documents_about_ text[], OUT answer text, OUT due float8[])
LANGUAGE plpgsql {ENTRY} AS $$
DECLARE
    conflict text;
    made record;
    now_ float8 := moment(at_);
BEGIN
    answer := standing(queue_, lane_, epoch_, node_, ids_);
    due := '{{}}';
    IF answer <> 'ok' THEN
        RETURN;
    END IF;
    IF cardinality(keys_) > 0 THEN
        conflict := write_all_about(keys_, texts_, read_, documents_about_);
        IF conflict IS NOT NULL THEN
            answer := 'conflict ' || conflict;
            RETURN;
        END IF;
    END IF;
    PERFORM end_items(queue_, lane_, epoch_, node_, ids_, versions_, 1, note_, '', now_);
    IF cardinality(queues_) > 0 THEN
        SELECT * INTO made FROM put_ready(queues_, lanes_, bodies_, names_, delays_, slots_, max_waits_,
            abouts_, at_);
        due := made.due;
    END IF;
    IF tallies_ IS NOT NULL THEN
        PERFORM add_tallies(tallies_, node_);
    END IF;
    due := free_lane(queue_, lane_) - now_ || due;
END $$"""

OLD_DONE = f"""CREATE OR REPLACE FUNCTION done_about({CLAIM_OF}, ids_ bigint[], versions_ int[], note_ text,
    keys_ text[], texts_ text[], read_ bigint[], {PUTS}, at_ float8, tallies_ jsonb, abouts_ text[],
    documents_about_ text[])
RETURNS text LANGUAGE plpgsql {ENTRY} AS $$
DECLARE made record;
BEGIN
    SELECT * INTO made FROM done_ready(queue_, lane_, epoch_, node_, ids_, versions_, note_, keys_, texts_,
        read_, queues_, lanes_, bodies_, names_, delays_, slots_, max_waits_, at_, tallies_, abouts_,
        documents_about_);
    PERFORM pg_notify(current_schema(), t.queue) FROM unnest(queue_ || queues_, made.due) AS t (queue, due)
        WHERE t.due IS NOT NULL;
    RETURN made.answer;
END $$"""

RETRY = f"""CREATE FUNCTION retry_ready({CLAIM_OF}, head_ bigint, delay_ float8, at_ float8,
    OUT answer text, OUT due float8[]) LANGUAGE plpgsql {ENTRY} AS $$
DECLARE now_ float8 := moment(at_);
BEGIN
    answer := 'lost';
    due := '{{}}';
    IF held(queue_, lane_, epoch_, node_) THEN
        UPDATE items SET attempts = attempts + 1, run_at = greatest(run_at, now_ + greatest(delay_, 0))
            WHERE id = head_ AND queue = queue_ AND lane = lane_ AND state = 0;
        answer := 'ok';
        due := ARRAY[free_lane(queue_, lane_) - now_];
    END IF;
END $$"""

# A node's sign of life; others are told of a new one, and of one that leaves. It learns where the others can
# be told of work, and how many lanes each holds.
RENEW = f"""CREATE FUNCTION renew_node(name_ text, seconds_ float8, report_ text, channel_ text, at_ float8,
    OUT told float8, OUT holding bigint, OUT channels text[], OUT lanes_of bigint[])
LANGUAGE plpgsql {ORDERED_ENTRY} AS $$
DECLARE
    now_ float8 := moment(at_);
    before text := (SELECT n.channel FROM nodes n WHERE n.name = name_);
BEGIN
    IF before IS DISTINCT FROM channel_ THEN
        PERFORM pg_notify(current_schema(), 'nodes');
    END IF;
    SELECT count(*) INTO holding FROM lanes l WHERE l.node = name_ AND l.ready_at IS NULL;
    INSERT INTO nodes AS n (name, until, report, channel, held)
        VALUES (name_, now_ + seconds_, report_, channel_, holding)
        ON CONFLICT (name) DO UPDATE SET until = greatest(n.until, excluded.until),
        report = excluded.report, channel = excluded.channel, held = excluded.held;
    SELECT coalesce(array_agg(coalesce(nullif(n.channel, ''), current_schema())), '{{}}'),
        coalesce(array_agg(n.held), '{{}}')
        INTO channels, lanes_of FROM nodes n WHERE n.name <> name_ AND n.until > now_ + seconds_ / 2;
    told := moment(NULL);
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
    PERFORM pg_notify(current_schema(), 'nodes');
END $$"""

ALL = (COLUMNS, FREE_LANE, REARM, PUT, OLD_PUT, DONE, OLD_DONE, RETRY, RENEW, FREE_NODE)
"""The statements that make them, in the order of need."""
