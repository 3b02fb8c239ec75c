"""Everybody talks at once for a while, on every channel; then platforms take calls and answer none.

`PARLEY_SOAK_SECONDS` is for how long each; `PARLEY_SOAK_STUCK` names the platforms, one after the other;
`PARLEY_SOAK_WRITE=1` writes the figures to docs/performance.md. No figure is asserted: they belong to
machines.
"""

import os
from pathlib import Path

import pytest

from benchmarks.kit.tables import write_tables
from tests.kit.checkout import ROOT
from tests.soak.report import tables
from tests.soak.run import Result, carry_out
from tests.soak.scale import Scale

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600)]


async def test_all_are_answered_and_nobody_waits_for_a_stuck_platform(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    scale = Scale.read(os.environ)
    result = await carry_out(scale, tmp_path)
    found = tables(result)
    with capsys.disabled():
        print("", *(table.plain() for table in found), sep="\n\n")
    if os.environ.get("PARLEY_SOAK_WRITE") == "1":
        write_tables(ROOT / "docs" / "performance.md", found)
    check(result)


def check(result: Result) -> None:
    for name, heard in result.channels.items():
        account = heard.account
        assert account.is_clean, (name, account)
        assert not account.repeated, (name, account.repeated)
        assert name == "dingtalk" or not account.missed, (name, account.missed)
        assert account.answered, name
    assert result.tracebacks == 0
