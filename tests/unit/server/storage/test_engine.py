"""Who does not use PostgreSQL pays nothing for it."""

from __future__ import annotations

import subprocess
import sys


def test_postgresqls_packages_are_imported_only_where_they_are_used() -> None:
    look = (
        "import sys, parley.server.app; print([n for n in sys.modules if 'psycopg' in n or 'postgres' in n])"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
