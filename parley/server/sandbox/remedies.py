"""What to change on a machine whose kernel lets nobody make the namespaces that a sandbox is made of."""

from __future__ import annotations

from pathlib import Path

_KERNEL = Path("/proc/sys")
_CONTAINERS = (Path("/.dockerenv"), Path("/run/.containerenv"))
_SETTINGS = (
    # Kernel's own; then Debian's, and Ubuntu's since 23.10.
    ("user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000"),
    ("kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"),
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "load AppArmor's profile bwrap-userns-restrict, of the package apparmor-profiles",
    ),
)
_DOCUMENT = "docs/built-in-agent.md#commands"


def namespace_remedy(kernel: Path = _KERNEL, containers: tuple[Path, ...] = _CONTAINERS) -> str:
    """Return what an operator can do where no sandbox starts, by what the kernel says of itself."""
    found = [remedy for name, bad, remedy in _SETTINGS if _says(kernel / name) == bad]
    if any(each.exists() for each in containers):
        found.append("run Parley outside of this container, which may not make namespaces")
    if not found:
        return f"the machine has to let users make namespaces ({_DOCUMENT})"
    return f"to allow it: {'; '.join(found)} ({_DOCUMENT})"


def package_remedy(package: str, containers: tuple[Path, ...] = _CONTAINERS) -> str:
    """Return what an operator can do where a program of a package is missing."""
    if not any(each.exists() for each in containers):
        return f"install the package {package}"
    # Whoever only adds the package to an image meets the next refusal.
    return (
        f"install the package {package} where the container may make namespaces, else run Parley outside of "
        f"this container ({_DOCUMENT})"
    )


def _says(setting: Path) -> str:
    try:
        return setting.read_text().strip()
    except OSError:
        return ""
