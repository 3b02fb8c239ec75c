"""Commands that try to get out of their sandbox, to hide in it, or to take more than they may."""

from __future__ import annotations

import asyncio
import ctypes
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import pytest

from parley.server.sandbox.bubblewrap import stand_in
from parley.server.sandbox.limits import CommandLimits, SandboxFailed
from parley.server.sandbox.sandbox import CommandResult, Sandbox
from parley.server.sandbox.syscall_filter import refused_calls
from parley.server.sandbox.threads import run_to_its_end
from parley.server.sandbox.watch import EndReason
from parley.server.workspace.entries import WorkspaceLimits
from parley.server.workspace.folder import WorkspaceFolder
from parley.server.workspace.paths import PathRefused
from parley.server.workspace.workspaces import Workspaces
from tests.kit.checkout import ROOT
from tests.kit.product.sandbox import skip_without_sandbox, sleep

pytestmark = pytest.mark.attacks

SECRET = "secret-of-the-machine"
LIMITS = CommandLimits(seconds=30, memory=100_000_000, processes=20, output=4_000)


@pytest.fixture(scope="module", autouse=True)
def sandboxed() -> None:
    skip_without_sandbox()


@dataclass
class Bench:
    """A workspace, and commands in it."""

    spaces: Workspaces
    folder: WorkspaceFolder

    async def run(self, command: str, seconds: float = LIMITS.seconds) -> CommandResult:
        return await Sandbox(replace(LIMITS, seconds=seconds)).run(self.folder, command)

    async def says(self, command: str) -> str:
        """What it writes, and how it ended."""
        result = await self.run(command)
        return f"{result.ending.output}\n{result.ending.exit_code} {result.ending.reason}"

    async def python(self, program: str) -> str:
        """What a program in Python writes, which lies in the workspace."""
        if not os.access("/usr/bin/python3", os.X_OK):
            pytest.skip("there is no /usr/bin/python3 to attack with")
        self.folder.write("/attack.py", program.encode())
        return await self.says("/usr/bin/python3 -I attack.py")

    def paths(self) -> list[str]:
        return sorted(entry.path for entry in self.folder.walk())


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    spaces = Workspaces(tmp_path / "spaces", WorkspaceLimits(size=2_000_000, files=50, file=500_000))
    return Bench(spaces, spaces.of(str(uuid4())))


@contextmanager
def open_place() -> Iterator[Path]:
    """A folder that everybody on the machine may read and write: what keeps a command out is the sandbox."""
    with TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


def done(*command: str) -> str:
    """What a program of the machine writes."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@contextmanager
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the very user that commands run as."""
    process = subprocess.Popen(["/bin/sleep", "600"], user=stand_in(), cwd="/")
    try:
        yield process
    finally:
        process.kill()
        process.wait()


async def test_an_ordinary_command_works_on_the_files(bench: Bench) -> None:
    bench.folder.write("/in/words.txt", b"b\na\n")
    bench.folder.write("/old.txt", b"x")
    result = await bench.run("sort in/words.txt | tee out.txt; rm old.txt; mkdir -p new/empty; exit 3")
    assert (result.ending.output, result.ending.exit_code, result.ending.reason) == ("a\nb\n", 3, None)
    assert bench.folder.read("/out.txt") == b"a\nb\n"
    assert bench.paths() == ["/in", "/in/words.txt", "/new", "/new/empty", "/out.txt"]
    assert (result.changes.written, result.changes.deleted) == (("/out.txt",), ("/old.txt",))


async def test_files_and_folders_take_the_place_of_each_other(bench: Bench) -> None:
    for path in ("/file", "/folder/inner/x", "/same"):
        bench.folder.write(path, b"a")
    await bench.run("rm file; mkdir file; echo > file/in; rm -r folder; printf b > folder; printf b > same")
    assert bench.paths() == ["/file", "/file/in", "/folder", "/same"]
    assert (bench.folder.read("/folder"), bench.folder.read("/same")) == (b"b", b"b")


async def test_what_others_write_meanwhile_stays(bench: Bench) -> None:
    bench.folder.write("/mine.txt", b"1")
    nap = sleep(1)
    command = asyncio.create_task(bench.run(f"sleep {nap.time}; rm *; echo 2 > own.txt"))
    await nap.until_there(1)
    bench.folder.write("/sent.txt", b"new")
    await command
    assert bench.paths() == ["/own.txt", "/sent.txt"]


@pytest.mark.parametrize(
    "command",
    [
        "cat {secret}",
        "cat ../../../..{secret}",
        "cat /proc/1/root{secret}",
        "ln -s {secret} link; cat link",
        "ln {secret} link; cat link",
        "cat /etc/passwd /etc/shadow /etc/hostname",
        "ls /root /var /run /srv /opt /boot /sys /mnt /tmp/..{folder}",
        "ls {data} {data}/*",
        "find / -name '*.env' -o -name config.yaml -path '*{folder}*' | grep .",
        "cat /proc/{pid}/environ /proc/{pid}/maps",
        "cat /proc/kcore /proc/kmsg /dev/mem /dev/kmsg /dev/vda /dev/sda",
        "grep -l {words} /proc/[0-9]*/environ",
        "env | grep {words}",
        "kill -9 {bystander}",
        "kill -0 {pid}",
        "[ -w /proc/sys/kernel/hostname ] || [ -w /proc/sysrq-trigger ]",
        "echo 1 > /proc/sys/vm/drop_caches",
        "touch /usr/bin/x || touch /x || touch /etc/x || touch /dev/x",
        "mount -t tmpfs none /home/tmp",
        "unshare -U true || unshare -r true",
        "chroot /usr /bin/true",
        "bwrap --ro-bind / / true",
        "mknod disk b 254 0 || mknod null c 1 3",
        "cat < /dev/tty || cat < /dev/pts/0 || cat < /dev/console",
        "ls /run/docker.sock /var/run/docker.sock /run/user /run/dbus",
        "ls -d /sys/fs/cgroup /sys/kernel",
        "su -c true || sudo true",
    ],
)
async def test_it_reaches_nothing_of_the_machine(
    bench: Bench, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARLEY_KEY", SECRET)
    other = bench.spaces.of(str(uuid4()))
    other.write("/notes.txt", SECRET.encode())
    with open_place() as place, bystander() as somebody:
        (place / "config.yaml").write_text(SECRET)
        (place / "config.yaml").chmod(0o666)
        said = await bench.says(
            command.format(
                secret=place / "config.yaml",
                folder=place,
                data=bench.spaces.root,
                pid=os.getpid(),
                words=SECRET,
                bystander=somebody.pid,
            )
        )
        assert somebody.poll() is None
    *_, ending = said.splitlines()
    assert SECRET not in said
    assert ending.endswith(" None"), "the command itself says no"
    assert not ending.startswith("0 "), said


async def test_nothing_but_its_own_files_can_be_written_whoever_owns_it(bench: Bench) -> None:
    mounts = [line.split() for line in (await bench.says("cat /proc/self/mounts")).splitlines()]
    written = {each[1] for each in mounts if len(each) > 3 and "rw" in each[3].split(",")}
    devices = {f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom")}
    assert written - devices == {"/home", "/proc"}
    assert all("nosuid" in each[3].split(",") for each in mounts if len(each) > 3)


CONNECTS = """
import socket
for address in {!r}:
    there = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
    there.settimeout(2)
    try:
        there.connect(address)
        print("reached")
    except OSError as error:
        print("refused")
"""


async def test_no_socket_of_the_machine_is_reached(bench: Bench) -> None:
    name = f"\0parley-{uuid4()}"
    with (
        open_place() as place,
        closing(socket.create_server(("127.0.0.1", 0))) as tcp,
        closing(socket.socket(socket.AF_UNIX)) as path,
        closing(socket.socket(socket.AF_UNIX)) as abstract,
    ):
        path.bind(f"{place}/docker.sock")
        os.chmod(f"{place}/docker.sock", 0o777)  # noqa: PTH101 - on a loop
        abstract.bind(name)
        path.listen()
        abstract.listen()
        addresses = [tcp.getsockname(), f"{place}/docker.sock", name]
        outside = await asyncio.to_thread(done, sys.executable, "-c", CONNECTS.format(addresses))
        said = await bench.python(CONNECTS.format([*addresses, ("192.0.2.1", 53)]))
    assert outside.split() == ["reached"] * 3, "they are there"
    assert said.splitlines()[:4] == ["refused"] * 4, said


async def test_what_is_started_in_the_background_ends_with_the_command(bench: Bench) -> None:
    nap = sleep(600)
    command = asyncio.create_task(
        bench.says(
            f"setsid sleep {nap.time} >/dev/null 2>&1 & "
            f"(setsid nohup sh -c 'sleep {nap.time}' >/dev/null &); "
            f"(trap '' TERM HUP INT; sleep {nap.time}) & sleep 2; echo over"
        )
    )
    await nap.until_there(3)
    assert "over" in await command
    assert nap.processes() == 0


async def test_kill_all_ends_the_command_alone(bench: Bench) -> None:
    with bystander() as somebody:
        await bench.run("kill -9 -1; kill -9 1")
        assert somebody.poll() is None


async def test_a_stopped_turn_ends_all_processes_and_changes_nothing(bench: Bench) -> None:
    nap = sleep(600)
    bench.folder.write("/kept.txt", b"1")
    task = asyncio.create_task(bench.run(f"rm kept.txt; setsid sleep {nap.time} & sleep {nap.time}"))
    await nap.until_there(2)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    await nap.until_gone()
    assert bench.paths() == ["/kept.txt"]


async def test_kill_9_of_the_server_ends_all_processes(bench: Bench) -> None:
    nap = sleep(600)
    command = f"setsid sleep {nap.time} & sleep {nap.time}"
    program = (
        "import asyncio, sys; from pathlib import Path; from uuid import uuid4\n"
        "from parley.server.sandbox.sandbox import Sandbox\n"
        "from parley.server.workspace.workspaces import Workspaces\n"
        "asyncio.run(Sandbox().run(Workspaces(Path(sys.argv[1])).of(str(uuid4())), sys.argv[2]))"
    )
    arguments = ("-c", program, str(bench.spaces.root), command)
    server = await asyncio.create_subprocess_exec(sys.executable, *arguments, cwd=ROOT)
    await nap.until_there(2)
    server.kill()
    await server.wait()
    await nap.until_gone()


async def test_only_ordinary_files_come_back(bench: Bench) -> None:
    with open_place() as place:
        (place / "secret").write_text(SECRET)
        bench.folder.write("/was.txt", b"was")
        result = await bench.run(
            f"ln -s {place}/secret link; ln -s {place} folder; ln -s / root; mkfifo pipe; "
            "echo x > one; ln one two; "
            "rm was.txt; ln -s /etc/passwd was.txt; mkdir -p deep && cd deep && ln -s .. up; cd ..; "
            "cp /usr/bin/id suid; chmod 6755 suid; printf x > 'a\\b'; printf x > \"$(printf 'a\\nb')\"; "
            "truncate -s 1T sparse; printf ok > plain"
        )
    assert result.ending.exit_code == 0, result.ending.output
    files = [path for path in bench.paths() if path != "/deep"]
    assert files == ["/plain", "/suid", "/was.txt"]
    assert bench.folder.read("/was.txt") == b"was", "a link does not take its place"
    for path in ("/link", "/folder/secret", "/root/etc/passwd", "/deep/up/plain"):
        with pytest.raises(PathRefused):
            bench.folder.read(path)
    kept = bench.folder.root / "suid"
    assert (kept.stat().st_mode & 0o7777, kept.stat().st_uid) == (0o600, os.geteuid())
    left_out = " ".join(result.changes.left_out)
    for name in ("link", "folder", "root", "pipe", "one", "two", "was.txt", "up", "a\\\\b", "sparse"):
        assert name in left_out, name


async def test_the_folder_in_there_cannot_be_swapped_for_another(bench: Bench) -> None:
    result = await bench.run("cd ..; mv workspace moved; ln -s /usr/bin workspace; printf x > moved/own")
    assert (result.changes.written, bench.paths()) == (("/own",), ["/own"])


async def test_links_in_the_workspace_do_not_come_in(bench: Bench) -> None:
    bench.folder.write("/a.txt", b"a")
    with open_place() as place:
        (place / "secret").write_text(SECRET)
        (bench.folder.root / "link").symlink_to(place / "secret")
        (bench.folder.root / "hard").hardlink_to(place / "secret")
        assert SECRET not in await bench.says("cat *; ls")


async def test_a_flood_of_output_ends_the_command_and_is_cut(bench: Bench) -> None:
    result = await bench.run("yes")
    assert result.ending.reason is EndReason.OUTPUT
    assert len(result.ending.output) < 2 * LIMITS.output
    few = await bench.run("seq 1 100000; printf '\\033]0;title\\007\\033[2J'")
    assert few.ending.output.startswith("1\n2\n")
    assert "bytes are left out" in few.ending.output
    assert "100000\n" in few.ending.output
    assert "\033" not in few.ending.output


@pytest.mark.parametrize(
    ("command", "reasons"),
    [
        ("i=0; while [ $i -lt 5000 ]; do : > f$i; i=$((i+1)); done; sleep 20", {EndReason.FILES}),
        (
            "i=0; while [ $i -lt 5000 ]; do mkdir d$i && cd d$i 2>/dev/null || break; done; sleep 20",
            {EndReason.FILES, EndReason.TIME},  # whichever comes first
        ),
        ("printf kept > x; sleep 20", {EndReason.TIME}),
    ],
)
async def test_what_takes_too_much_is_ended_and_changes_nothing(
    bench: Bench, command: str, reasons: set[EndReason]
) -> None:
    bench.folder.write("/before.txt", b"1")
    result = await bench.run(command, seconds=1 if EndReason.TIME in reasons else 15)
    assert result.ending.reason in reasons
    assert bench.paths() == ["/before.txt"]


async def test_the_disk_of_the_machine_is_never_filled(bench: Bench) -> None:
    said = await bench.says(
        "head -c 300000000 /dev/zero > big; head -c 300000000 /dev/zero > /tmp/big2; "
        "head -c 300000000 /dev/zero > /dev/shm/big3; du -sk /home | cut -f1; stat -c %s big"
    )
    assert said.count("No space left on device") >= 2, said
    kilobytes = int(said.splitlines()[-4])
    assert kilobytes < 67_000
    assert bench.paths() == [], "too large for a file here"


MEMORY = {
    "private": ("x = bytearray(300_000_000)", "MemoryError"),
    "memfd": ("import os; os.memfd_create('x')", "PermissionError"),
    "shared": (
        """
import mmap, time
m = mmap.mmap(-1, 200_000_000)
for at in range(0, 200_000_000, 4096): m[at] = 1
time.sleep(20)
""",
        EndReason.MEMORY,
    ),
    "together": (
        "import os, time\nfor _ in range(3): os.fork()\nx = bytearray(b'x' * 40_000_000)\ntime.sleep(20)",
        EndReason.MEMORY,
    ),
    "system V": (
        """
import ctypes, os
c = ctypes.CDLL(None, use_errno=True)
print(c.shmget(0, 10_000_000, 0o1600), os.strerror(ctypes.get_errno()))
""",
        "-1 Operation not permitted",
    ),
}


@pytest.mark.parametrize("way", MEMORY)
async def test_memory_is_bounded_however_it_is_taken(bench: Bench, way: str) -> None:
    program, told = MEMORY[way]
    assert str(told) in await bench.python(program)


async def test_a_machine_without_memory_ends_commands_first(bench: Bench) -> None:
    assert (await bench.says("cat /proc/self/oom_score_adj")).startswith("1000\n")


async def test_who_is_stopped_waits_for_what_still_works_on_the_files() -> None:
    go, over = threading.Event(), []

    def work() -> None:
        go.wait()
        over.append(True)

    task = asyncio.create_task(run_to_its_end(work))
    await asyncio.sleep(0)
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0)
    assert not task.done()
    go.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert over == [True]


async def test_the_number_of_processes_is_bounded(bench: Bench) -> None:
    # 30 attempts in a row where 20 may be, none of which starts another.
    said = await bench.python(
        "import os, time\n"
        "made = 0\n"
        "for _ in range(30):\n"
        "    try:\n"
        "        if os.fork() == 0:\n"
        "            time.sleep(20)\n"
        "            os._exit(0)\n"
        "        made += 1\n"
        "    except OSError as error:\n"
        "        print(error.strerror)\n"
        "        break\n"
        "print(made)\n"
    )
    assert "Resource temporarily unavailable" in said
    assert 10 < int(said.splitlines()[1]) < LIMITS.processes


async def test_nothing_is_typed_into_a_terminal(bench: Bench) -> None:
    said = await bench.python(
        "import fcntl, os, termios\n"
        "for name in ('/dev/tty', '/dev/ptmx', '/dev/pts/ptmx'):\n"
        "    try: os.open(name, os.O_RDWR); print('OPENED', name)\n"
        "    except OSError as error: print('refused', error.strerror)\n"
        "for request in (termios.TIOCSTI, 0x541C, (1 << 32) | termios.TIOCSTI):\n"
        "    try: fcntl.ioctl(0, request & 0xFFFFFFFF, b'x'); print('TYPED')\n"
        "    except OSError as error: print('refused', error.strerror)\n"
    )
    assert said.count("refused No such file") == 3, said
    assert said.count("refused Operation not permitted") == 3, said


@pytest.mark.parametrize("command", ["", "  \n", "echo \0", "x" * 20_001, "echo \ud800"])
async def test_what_no_shell_can_be_given_is_refused(bench: Bench, command: str) -> None:
    with pytest.raises(SandboxFailed):
        await bench.run(command)


@pytest.mark.parametrize(
    "command", ["-c 'echo no'", "--help", "exit 7", "'", "$(", "exec >&-; exec 2>&-; sleep 0.3"]
)
async def test_odd_commands_end_by_themselves(bench: Bench, command: str) -> None:
    assert (await bench.run(command)).ending.reason is None


@pytest.mark.parametrize(("machine", "architecture"), [("x86_64", 0xC000003E), ("aarch64", 0xC00000B7)])
def test_the_numbers_of_calls_are_those_that_libseccomp_knows(machine: str, architecture: int) -> None:
    try:
        library = ctypes.CDLL("libseccomp.so.2")
    except OSError:
        pytest.skip("there is no libseccomp to compare with")
    resolve = library.seccomp_syscall_resolve_name_arch
    known = {name: resolve(architecture, name.encode()) for name in refused_calls(machine)}
    assert known == refused_calls(machine)
