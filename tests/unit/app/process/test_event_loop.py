"""What the collector does once everything stands."""

import subprocess
import sys

from tests.kit.machine import patience

SETTLED = """
import gc
from parley.app.process.event_loop import tune_garbage_collection
gc.disable()
tune_garbage_collection()
print(gc.isenabled(), gc.get_threshold()[0] > 700, gc.get_freeze_count() > 1000)
"""


def test_after_the_start_it_looks_again_but_seldom_and_not_at_what_stands() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SETTLED], capture_output=True, text=True, timeout=patience(50), check=True
    )
    assert ended.stdout.split() == ["True"] * 3
