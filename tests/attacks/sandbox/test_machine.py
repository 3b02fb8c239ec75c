"""Commands that try to get out of their sandbox: nothing of the machine is reached."""

from __future__ import annotations

import asyncio
import ctypes
import os
import socket
import sys
from contextlib import closing, suppress
from pathlib import Path
from uuid import uuid4

import pytest

from parley.server.sandbox.isolation.syscall_filter import refused_calls
from tests.attacks.sandbox.bench import SECRET, Bench, bystander, done, open_place
from tests.kit.checkout import ROOT
from tests.kit.product.sandbox import sleep

pytestmark = pytest.mark.attacks


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
    devices = {f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty")}
    assert written - devices - {"/dev/shm"} == {"/home", "/proc"}
    # The root of a container has nothing in it but places for the others.
    bare = {"/"} | devices if bench.isolation.name == "runc" else set()
    assert all("nosuid" in each[3].split(",") for each in mounts if len(each) > 3 and each[1] not in bare)


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
        f"from {type(bench.isolation).__module__} import {type(bench.isolation).__name__} as Isolation\n"
        "from parley.server.sandbox.sandbox import Sandbox\n"
        "from parley.server.workspace.workspaces import Workspaces\n"
        "asyncio.run(Sandbox(Isolation()).run(Workspaces(Path(sys.argv[1])).of(str(uuid4())), sys.argv[2]))"
    )
    arguments = ("-c", program, str(bench.spaces.root), command)
    server = await asyncio.create_subprocess_exec(sys.executable, *arguments, cwd=ROOT)
    await nap.until_there(2)
    server.kill()
    await server.wait()
    await nap.until_gone()


NEW_USER = """
import ctypes, os
call = ctypes.CDLL(None, use_errno=True).syscall
numbers = {"x86_64": (272, 56), "aarch64": (97, 220)}[os.uname().machine]
arguments = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)
for attempt in ((numbers[0], 0x10000000), (numbers[1], 0x10000000 | 17, 0, 0, 0, 0), (435, arguments, 88)):
    if call(*map(lambda each: ctypes.c_long(each) if isinstance(each, int) else each, attempt)) == 0:
        print("ENTERED", flush=True)
        os._exit(0)
    print("refused", os.strerror(ctypes.get_errno()), flush=True)
if call(numbers[1], 17, 0, 0, 0, 0) == 0:
    print("an ordinary process", flush=True)
    os._exit(0)
os.wait()
"""


async def test_there_are_no_further_user_namespaces_however_they_are_asked_for(bench: Bench) -> None:
    said = await bench.python(NEW_USER)
    assert "ENTERED" not in said
    assert said.count("refused") == 3, said
    assert "an ordinary process" in said, "the very call makes one"


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
    assert said.count("refused No such") == 3, said
    assert said.count("refused Operation not permitted") == 3, said


@pytest.mark.parametrize(("machine", "architecture"), [("x86_64", 0xC000003E), ("aarch64", 0xC00000B7)])
def test_the_numbers_of_calls_are_those_that_libseccomp_knows(machine: str, architecture: int) -> None:
    try:
        library = ctypes.CDLL("libseccomp.so.2")
    except OSError:
        pytest.skip("there is no libseccomp to compare with")
    resolve = library.seccomp_syscall_resolve_name_arch
    known = {name: resolve(architecture, name.encode()) for name in refused_calls(machine)}
    assert known == refused_calls(machine)
