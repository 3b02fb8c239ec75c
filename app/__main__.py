"""`python -m app` is `parley`."""

import sys

from app.cli import main

sys.exit(main())
