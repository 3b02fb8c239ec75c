"""`python -m parley` is `parley`; what only watches another process loads nothing of it."""

import sys

from parley.app.process.watchdog import parse_watched, run_watched

_watched = parse_watched(sys.argv[1:])
if _watched is not None:
    sys.exit(run_watched([sys.executable, "-m", "parley", *_watched[0]], _watched[1]))

from parley.app.cli import main  # noqa: E402

sys.exit(main())
