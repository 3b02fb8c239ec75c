"""A failed test tells why, has a second chance where its suite gives one, and a lost suite is a failure."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.kit.checkout import ROOT, modules
from tests.suites.budget import edition
from tests.suites.definitions import MARKED_FOLDERS, SUITES, Edition, Program, PytestRun, Suite
from tests.suites.flaky_ledger import MOST, Ledger, table
from tests.suites.run import FAILURES, Runner
from tests.suites.scopes import LONG, scope_of, seconds_of

SAMPLE = "tests/test_sample.py"
FAILS_ONCE = """
from pathlib import Path
import pytest

@pytest.mark.parametrize("number", range({number}))
def test_it(number, request):
    flag = Path(__file__).with_name(f"flag{{number}}")
    if not flag.exists():
        flag.touch()
        print("what was printed")
        raise ValueError("the first time")
"""
FAILS = """
def test_it():
    print("what was printed")
    assert 1 + 1 == 3, "two lines:\\nof a reason"

def test_other():
    pass
"""
EDITIONS = """
import pytest

@pytest.mark.parametrize("number", range(6))
def test_it(number):
    with open(__file__ + ".ran", "a") as file:
        file.write(str(number))

@pytest.mark.long
def test_long():
    with open(__file__ + ".ran", "a") as file:
        file.write("long")
"""


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    (tmp_path / "tests").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return Ledger(tmp_path / "unsteady.jsonl")


def runner(
    tmp_path: Path, ledger: Ledger, text: str, *, second_chance: bool = True, how: Edition = "usual"
) -> Runner:
    (tmp_path / SAMPLE).write_text(text, "utf-8")
    suite = Suite([PytestRun((SAMPLE,))], 1, second_chance)
    return Runner("sample", suite, how, tmp_path / "out", ledger)


def test_a_failure_is_told_with_its_reason_its_place_and_its_log(
    tmp_path: Path, ledger: Ledger, capfd: pytest.CaptureFixture[str]
) -> None:
    assert runner(tmp_path, ledger, FAILS, second_chance=False).run() == 1
    said = capfd.readouterr().out.split("sample: 1 failed\n")[1].splitlines()
    assert said[0].endswith("test_sample.py::test_it")
    assert [line.strip() for line in said[1:3]] == ["AssertionError: two lines:", "of a reason"]
    assert "test_sample.py:4" in said[-2]
    log = Path(said[-1].removeprefix("    log "))
    assert "what was printed" in log.read_text("utf-8")
    assert "test_it" in (tmp_path / FAILURES).read_text("utf-8")


def test_what_is_green_alone_stands_in_the_ledger(tmp_path: Path, ledger: Ledger) -> None:
    assert runner(tmp_path, ledger, FAILS_ONCE.format(number=1)).run() == 0
    (found,) = ledger.read()
    assert found.reason == "ValueError: the first time"
    assert found.suite == "sample"
    assert "what was printed" in Path(found.log).read_text("utf-8")
    said = table(ledger.read())
    assert said.startswith("unsteady: 1")
    assert "the first time" in said


def test_without_a_second_chance_once_is_enough(tmp_path: Path, ledger: Ledger) -> None:
    assert runner(tmp_path, ledger, FAILS_ONCE.format(number=1), second_chance=False).run() == 1
    assert not ledger.read()


def test_what_fails_twice_is_red(tmp_path: Path, ledger: Ledger) -> None:
    assert runner(tmp_path, ledger, FAILS).run() == 1
    assert not ledger.read()


def test_more_than_a_few_have_no_second_chance(tmp_path: Path, ledger: Ledger) -> None:
    assert runner(tmp_path, ledger, FAILS_ONCE.format(number=MOST + 1)).run() == 1
    assert not ledger.read()


def test_the_ledger_counts_over_all_suites_of_a_run(tmp_path: Path, ledger: Ledger) -> None:
    assert runner(tmp_path, ledger, FAILS_ONCE.format(number=MOST)).run() == 0
    assert len(ledger.read()) == MOST
    (tmp_path / "tests" / "flag0").unlink()
    assert runner(tmp_path, ledger, FAILS_ONCE.format(number=MOST)).run() == 1


def test_a_suite_without_tests_is_red(
    tmp_path: Path, ledger: Ledger, capfd: pytest.CaptureFixture[str]
) -> None:
    assert runner(tmp_path, ledger, "").run() == 1
    assert "lost its tests" in capfd.readouterr().out


def test_a_module_that_cannot_be_read_is_red_and_named(
    tmp_path: Path, ledger: Ledger, capfd: pytest.CaptureFixture[str]
) -> None:
    assert runner(tmp_path, ledger, "import nothing_of_this_name").run() == 1
    assert "nothing_of_this_name" in capfd.readouterr().out


def test_a_program_fails_with_its_last_words(
    tmp_path: Path, ledger: Ledger, capfd: pytest.CaptureFixture[str]
) -> None:
    suite = Suite([Program("this.is.no.module")], 1)
    assert Runner("sample", suite, "usual", tmp_path / "out", ledger).run() == 1
    assert "sample: 1 failed" in capfd.readouterr().out


def test_in_a_shared_run_nothing_runs_only_to_be_heard(tmp_path: Path, ledger: Ledger) -> None:
    (tmp_path / SAMPLE).write_text("def test_it():\n    open(__file__ + '.ran', 'a').write('x')\n", "utf-8")
    suite = Suite([PytestRun((SAMPLE,), hear="only"), PytestRun((SAMPLE,))], 1)
    for shared in (True, False):
        assert Runner("sample", suite, "usual", tmp_path / "out", ledger, shared=shared).run() == 0
    assert (tmp_path / f"{SAMPLE}.ran").read_text("utf-8") == "xxx"


def test_all_that_the_vendors_suite_hears_alone_is_heard_in_a_shared_run() -> None:
    (alone,) = _heard("vendors", "only")
    chosen = [word for word in alone.selection if word.startswith("tests/")]
    others = [
        word for suite in ("test", "journeys") for part in _heard(suite, "too") for word in part.selection
    ]
    assert "tests/contract" in chosen
    assert "tests/contract/test_slack_http.py" in others
    assert not {f"--ignore={name}" for name in chosen} & set(others)


IN_THE_BACKGROUND = """
import signal, subprocess, sys
from tests.suites.__main__ import main
assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
main(["unsteady"])
show = "import signal; print(signal.getsignal(signal.SIGINT).__name__)"
subprocess.run([sys.executable, "-c", show], check=True)
"""


def test_an_interrupt_is_heard_also_where_a_shell_started_us_in_its_background(tmp_path: Path) -> None:
    (tmp_path / "start.py").write_text(IN_THE_BACKGROUND, "utf-8")
    shell = f"{sys.executable} {tmp_path / 'start.py'} & wait $!"
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", shell], cwd=tmp_path, env=environ, check=True, capture_output=True, text=True
    )
    assert done.stdout.split()[-1] == "default_int_handler"


def _heard(suite: str, how: str) -> list[PytestRun]:
    return [part for part in SUITES[suite].parts if isinstance(part, PytestRun) and part.hear == how]


@pytest.mark.parametrize(("how", "ran"), [("full", "012345long"), ("usual", "012345"), ("short", "03")])
def test_editions_leave_tests_out(tmp_path: Path, ledger: Ledger, how: Edition, ran: str) -> None:
    assert runner(tmp_path, ledger, EDITIONS, how=how).run() == 0
    assert (tmp_path / f"{SAMPLE}.ran").read_text("utf-8") == ran


def test_every_suite_has_a_target_and_its_place_in_ci() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    lanes = re.findall(
        r"^(?:suites|beside)=\(([^)]*)\)", (ROOT / ".ci" / "run").read_text("utf-8"), re.MULTILINE
    )
    assert set(SUITES) <= targets
    assert len(lanes) == 2
    assert sorted(["test", *" ".join(lanes).split()]) == sorted(SUITES)


def test_every_marker_of_a_suite_is_kept_from_the_default_tests() -> None:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
    marked = set(_places())
    kept = re.search("'(.*)'", options["addopts"])
    assert kept is not None
    assert {f"not {mark}" for mark in marked} == set(kept[1].split(" and "))
    assert marked < {line.partition(":")[0] for line in options["markers"]}


def test_a_suite_looks_wherever_its_marker_stands() -> None:
    """Each names its folders: a marked test elsewhere would never be run."""
    for mark, paths in _places().items():
        marked = [path for path in modules("tests") if f"pytest.mark.{mark}" in path.read_text("utf-8")]
        within = [path for path in marked if any(path.is_relative_to(ROOT / each) for each in paths)]
        assert set(marked) - set(within) <= {Path(__file__)}, mark
        assert within, mark


def test_folders_that_the_default_tests_pass_over_have_none_of_theirs() -> None:
    for folder in MARKED_FOLDERS:
        marked = re.compile(rf"^pytestmark = .*?pytest\.mark\.{folder}\b", re.MULTILINE | re.DOTALL)
        for path in sorted((ROOT / "tests" / folder).rglob("test_*.py")):
            assert marked.search(path.read_text("utf-8")), path


def test_the_contract_is_divided_among_processes_by_channel() -> None:
    promise = "tests/contract/test_contract.py::test_promise"
    assert scope_of(f"{promise}[slack-any_script]") == f"{promise}[slack"
    assert scope_of("tests/unit/test_it.py::test_one[a-b]") == "tests/unit/test_it.py"


def test_what_takes_longest_is_handed_out_first() -> None:
    assert [name for name in LONG if not (ROOT / name.partition("::")[0]).is_file()] == []
    scopes = {"tests/unit/test_many.py": 90, next(iter(LONG)): 7, "tests/unit/test_few.py": 3}
    by_length = sorted(scopes, key=lambda scope: -seconds_of(scope, scopes[scope]))
    assert by_length == [next(iter(LONG)), "tests/unit/test_many.py", "tests/unit/test_few.py"]


def _places() -> dict[str, tuple[str, ...]]:
    """The marker of each suite that has one, with the folders and files that are looked through."""
    parts = [part for suite in SUITES.values() for part in suite.parts if isinstance(part, PytestRun)]
    marked = [part.selection for part in parts if part.selection[:1] == ("-m",)]
    return {selection[1]: selection[2:] for selection in marked if " " not in selection[1]}


def test_there_is_time_for_the_usual_edition_on_a_machine_as_it_should_be() -> None:
    usual = SUITES["test"].seconds
    assert edition("teeth", ["nodes"], ["test"], elapsed=usual, limit=3600) == "usual"


def test_a_slow_machine_has_time_for_the_short_one() -> None:
    usual = SUITES["test"].seconds
    assert edition("journeys", ["nodes"], ["test"], elapsed=10 * usual, limit=3600) == "short"


def test_time_is_kept_for_what_comes_later() -> None:
    needed = SUITES["teeth"].seconds
    assert edition("teeth", [], [], elapsed=0, limit=needed) == "usual"
    assert edition("teeth", ["postgres"], [], elapsed=0, limit=needed) == "short"


def test_servers_of_the_tests_are_reached_without_the_proxies_and_passwords_of_whoever_runs_them(
    tmp_path: Path,
) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text("default login hostile password hostile\n")
    netrc.chmod(0o600)
    foreign = {"http_proxy": "http://127.0.0.1:9", "ALL_PROXY": "socks5://127.0.0.1:9", "HOME": str(tmp_path)}
    asked = "print(found.getproxies(), found.get_netrc_auth('http://127.0.0.1'))"
    program = f"import tests.conftest, requests.utils as found; {asked}"
    seen = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={key: value for key, value in os.environ.items() if key != "NETRC"} | foreign,
        capture_output=True,
        text=True,
        check=True,
    )
    assert seen.stdout == "{} None\n"
