"""What code that took over the reading of a file can still do: nothing, as far as the kernel helps.

The deeds go to the kernel past every guard of Python's, in a process that is bounded and ends with the test.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from parley.agent.files import sandbox
from parley.agent.files.reader import _ENVIRONMENT, FileLimits, FileReader, SandboxStatus
from tests.kit.checkout import ROOT
from tests.kit.machine import patience

MEMORY = 512_000_000
BEGIN = f"""
import ctypes, mmap, os, resource, signal, socket, sys
from parley.agent.files import sandbox
folder, port = sys.argv[1], int(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)
inherited = os.open(folder + "/given", os.O_RDWR)
def called(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), "")
sandbox.limit({MEMORY}, 20)
"""
CONFINED = "missing = sandbox.confine([sys.prefix + '/lib', sys.base_prefix + '/lib'])\n"
TRIED = """
if missing:
    print("missing:", *missing)
    sys.exit()
try:
    {deed}
except (OSError, MemoryError, ValueError):
    print("refused")
else:
    print("done")
"""
DEEDS = {
    "reads a file of the system": "open('/etc/passwd')",
    "reads a file of ours": "open(folder + '/secret')",
    "lists a folder": "os.listdir(folder)",
    "reads the keys of who started it": "open(f'/proc/{os.getppid()}/environ').read()",
    "writes a file": "open(folder + '/new', 'w')",
    "empties a file": "os.truncate(folder + '/secret', 0)",
    "empties an open file": "os.ftruncate(inherited, 0)",
    "writes an open file": "os.write(inherited, b'x')",
    "removes a file": "os.unlink(folder + '/secret')",
    "renames a file": "os.rename(folder + '/secret', folder + '/other')",
    "makes a folder": "os.mkdir(folder + '/new')",
    "makes a link": "os.symlink('/etc/passwd', folder + '/new')",
    "changes a file's mode": "os.chmod(folder + '/secret', 0o777)",
    "changes a file's times": "os.utime(folder + '/secret', (1, 1))",
    "connects": "socket.create_connection(('127.0.0.1', port), 5)",
    "listens": "socket.socket().bind(('127.0.0.1', 0))",
    "sends a datagram": "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', port))",
    "makes a pair of sockets": "socket.socketpair()",
    "becomes a program": "os.execv('/bin/true', ['true'])",
    "starts a program": "os.posix_spawn('/bin/true', ['true'], {})",
    "multiplies": "[os.fork() or os._exit(0) for _ in range(8)]",
    "ends who started it": "os.kill(os.getppid(), 0)",
    "looks into who started it": "called(libc.ptrace(16, os.getppid(), None, None))",
    "limits who started it": "resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)",
    "raises its own limits": "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
    "fills the memory": f"bytearray({MEMORY})",
    "fills shared memory": f"mmap.mmap(-1, {MEMORY})",
    "fills memory that is a file": "os.ftruncate(os.memfd_create('x'), 1 << 30)",
    "changes its root": "os.chroot(folder)",
    "leaves by a namespace": "called(libc.unshare(0x10000000))",
    "hands work to the kernel": "called(libc.syscall(425, 8, bytes(120)))",
    "opens too many files": "[os.dup(inherited) for _ in range(64)]",
}


def ran(code: str, folder: Path, port: int = 9) -> str:
    done = subprocess.run(
        [sys.executable, "-B", "-c", code, str(folder), str(port)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=patience(30),
        check=False,
        env={**_ENVIRONMENT, "KEY": "secret"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "given").write_text("given")
    return tmp_path


@pytest.mark.parametrize("deed", DEEDS)
def test_a_reader_that_was_taken_over_is_refused_what_it_tries(folder: Path, deed: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = BEGIN + CONFINED + TRIED.format(deed=DEEDS[deed])
        said = ran(code, folder, server.getsockname()[1])
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    if said.startswith("missing"):
        pytest.skip(said)
    assert said == "refused"
    assert sorted(path.name for path in folder.iterdir()) == ["given", "secret"]
    assert (folder / "secret").read_text() == "secret"


@pytest.mark.parametrize(
    "deed", [deed for deed in DEEDS if deed not in ("fills the memory", "looks into who started it")]
)
def test_without_the_sandbox_the_same_deeds_are_done(folder: Path, deed: str) -> None:
    """So that a refusal above is the sandbox's, and no mistake in the deed."""
    if deed in (
        "becomes a program",
        "empties an open file",
        "limits who started it",
        "raises its own limits",
    ):
        pytest.skip("cannot be told apart, or depends on who runs the tests")
    code = (
        BEGIN.replace("sandbox.limit", "(lambda *_: 0)") + "missing = []\n" + TRIED.format(deed=DEEDS[deed])
    )
    with socket.create_server(("127.0.0.1", 0)) as server:
        said = ran(code, folder, server.getsockname()[1])
    if said == "refused" and deed in ("changes its root", "leaves by a namespace"):
        pytest.skip("only root may, and in a container or a changed root not even root")
    assert said == "done"


def test_what_was_opened_before_is_still_read_and_libraries_too(folder: Path) -> None:
    code = BEGIN + CONFINED + "import decimal, difflib\nprint(os.read(inherited, 99).decode())"
    assert ran(code, folder) == "given"


def test_the_kernel_ends_the_reader_first_and_without_a_core(folder: Path) -> None:
    code = BEGIN + "print(open('/proc/self/oom_score_adj').read(), *resource.getrlimit(resource.RLIMIT_CORE))"
    assert ran(code, folder).split() == ["1000", "0", "0"]


def test_another_system_does_without_and_says_so(folder: Path) -> None:
    code = (
        "import os, types\nos.uname = lambda: types.SimpleNamespace(sysname='Darwin', machine='arm64')\n"
        + BEGIN
        + CONFINED
        + "print(len(missing), open(folder + '/secret').read())"
    )
    assert ran(code, folder) == "3 secret"


async def test_what_holds_is_tried_and_told() -> None:
    found = await FileReader(FileLimits(seconds=patience(20))).protection()
    if found.missing:
        pytest.skip(f"this kernel lacks {found.missing}")
    assert found.refused == ("other files", "the network", "programs", "other processes")


def test_what_is_missing_is_told() -> None:
    assert str(SandboxStatus(("the network", "programs"), ("Landlock",))) == (
        "Files that people send are read by a process of its own; "
        "the kernel keeps it from the network, programs (missing here: Landlock)"
    )


def test_no_reader_has_a_second_thread_which_would_be_outside(folder: Path) -> None:
    code = (
        "import os\nfrom parley.agent.files.sandbox_main import _reader\n"
        "for kind in 'unseen docx xlsx pptx epub html pdf text image'.split():\n"
        "    _reader(kind)\n"
        "print(len(os.listdir('/proc/self/task')))"
    )
    assert ran(code, folder) == "1"


HEADERS = {1: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", 2: "/usr/include/asm-generic/unistd.h"}


@pytest.mark.parametrize("column", HEADERS)
def test_the_numbers_are_those_of_the_kernel(column: int) -> None:
    header = Path(HEADERS[column])
    if not header.exists():
        pytest.skip(f"{header} is not here")
    known = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text("utf-8")))
    calls = [each.split() for each in sandbox._REFUSED.split(",")]
    # A header may be older than the newest of these calls.
    wrong = [call for call in calls if call[0] in known and known[call[0]] != call[column]]
    assert wrong == []
    assert sum(call[0] in known for call in calls) > 60


def decided(machine: str, number: int, flags: int = 0, architecture: int | None = None) -> int:
    """What the filter says to a call, on a small BPF machine."""
    program, at, value = sandbox._instructions(machine), 0, 0
    data = {0: number, 4: architecture or sandbox._MACHINES[machine][0], 24: flags, 32: flags}
    while True:
        code, yes, no, operand = program[at]
        if code == sandbox._RETURN:
            return operand
        if code == sandbox._LOAD:
            value = data[operand]
        else:
            holds = {
                sandbox._EQUAL: value == operand,
                sandbox._AT_LEAST: value >= operand,
                sandbox._ANY_BIT: value & operand != 0,
            }[code]
            at += yes if holds else no
        at += 1


@pytest.mark.parametrize("machine", sandbox._MACHINES)
def test_the_filter_refuses_what_is_named_and_nothing_else(machine: str) -> None:
    _, column, openings = sandbox._MACHINES[machine]
    named = {int(call.split()[column]) for call in sandbox._REFUSED.split(",") if call.split()[column] != "-"}
    assert {number for number in range(600) if decided(machine, number) != sandbox._ALLOW} == named
    for number, _ in openings:
        assert decided(machine, number, os.O_RDONLY | os.O_CLOEXEC) == sandbox._ALLOW
        for flags in (os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC):
            assert decided(machine, number, flags) == sandbox._REFUSE
    assert decided(machine, 1 << 30) == sandbox._REFUSE
    assert decided(machine, 0, architecture=0x40000003) == sandbox._KILL
