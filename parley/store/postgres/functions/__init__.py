"""What runs inside the server: one function a verb, so that an operation is one round trip.

States: 0 waiting, 1 done, 2 dead, 3 cancelled. Whoever changes a lane's items holds the lane's row lock
first; the statements after it see what came before. Times are Unix seconds; NULL stands for the server's
own clock, so that the nodes' clocks need not agree. A verb answers "ok", "lost" (another holds the lane),
"gone" (everything was cancelled; the lane is free now) or "conflict KEY" (nothing happened).
"""

from __future__ import annotations

from parley.store.postgres.functions import documents, lanes, parts, puts

ALL = (
    *(parts.MOMENT, parts.REFRESH, parts.REARM, parts.HELD, parts.HOLD, parts.STANDING, parts.END_ITEMS),
    *(puts.REPLACE, puts.PUT, documents.WRITE, documents.WRITE_ALL),
    *(lanes.CLAIM, lanes.NOTE, lanes.DONE, lanes.BURY, lanes.RELEASE, lanes.RETRY, lanes.CANCEL),
    *(lanes.REVIVE, lanes.FREE_NODE),
)
"""The statements that make them, in the order of need."""
