"""What an operator is told to change, by what the kernel says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from parley.server.sandbox.remedies import namespace_remedy, package_remedy


@pytest.mark.parametrize(
    ("setting", "value", "remedy"),
    [
        ("user/max_user_namespaces", "0\n", "sysctl user.max_user_namespaces="),
        ("kernel/unprivileged_userns_clone", "0\n", "sysctl kernel.unprivileged_userns_clone=1"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1\n", "bwrap-userns-restrict"),
    ],
)
def test_a_setting_that_forbids_it_is_named(tmp_path: Path, setting: str, value: str, remedy: str) -> None:
    file = tmp_path / setting
    file.parent.mkdir()
    file.write_text(value)
    assert remedy in namespace_remedy(tmp_path, ())
    file.write_text("1\n" if value == "0\n" else "0\n")
    assert namespace_remedy(tmp_path, ()).startswith("the machine has to let users make namespaces")


def test_a_container_is_named(tmp_path: Path) -> None:
    (tmp_path / "mark").touch()
    assert "outside of this container" in namespace_remedy(tmp_path, (tmp_path / "mark",))
    assert "container" not in namespace_remedy(tmp_path, (tmp_path / "none",))


def test_a_container_is_named_where_a_program_is_missing_too(tmp_path: Path) -> None:
    (tmp_path / "mark").touch()
    told = package_remedy("bubblewrap", (tmp_path / "mark",))
    assert told.startswith("install the package bubblewrap where the container may make namespaces, else run")
    assert package_remedy("bubblewrap", (tmp_path / "none",)) == "install the package bubblewrap"
