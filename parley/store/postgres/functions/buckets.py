"""The bucket of a lane (store.buckets), and names against duplicates that are kept with it."""

from __future__ import annotations

from parley.store.postgres.functions import wakes

# Its row would not say which lane a name came with. NULL: from before this schema, or of no lane (`tally`).
COLUMN = "ALTER TABLE names ADD COLUMN bucket smallint"

# `convert_to` is not immutable by itself, as conversions may be made anew; to the database's own encoding
# nothing is converted.
BUCKET_OF = """CREATE FUNCTION bucket_of(lane_ text) RETURNS smallint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT get_byte(sha256(convert_to(lane_, 'UTF8')), 0)::smallint $$"""

# In the place of the function of the step before, so that nodes of that step note buckets too.
PUT = wakes.PUT.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION", 1).replace(
    "INTO names VALUES (each.queue, each.name, now_)",
    "INTO names (queue, name, put_at, bucket)\n"
    "                VALUES (each.queue, each.name, now_, bucket_of(each.lane))",
    1,
)

ALL = (COLUMN, BUCKET_OF, PUT)
"""The statements that make them, in the order of need."""
