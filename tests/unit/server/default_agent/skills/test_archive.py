"""An archive of a skill is installed whole, and nothing of a hostile one leaves its folder."""

from __future__ import annotations

import gzip
import random
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from parley.server.default_agent.skills import archive as limits
from parley.server.default_agent.skills.install import install_skill, remove_skill
from parley.server.default_agent.skills.library import installed_skills, load_skill
from parley.server.default_agent.skills.skill_file import SkillRefused, read_head
from tests.unit.server.default_agent.skills.archives import HEAD, put, skill, tarred, zipped

NOW = 1_800_000_000.0


def everything(folder: Path) -> set[str]:
    return {str(each.relative_to(folder)) for each in folder.rglob("*")}


def refused(archive: Path, folder: Path) -> str:
    """Return why it is refused; nothing is written anywhere."""
    before = everything(folder)
    with pytest.raises(SkillRefused) as found:
        install_skill(archive, folder / "skills", NOW)
    assert everything(folder) == before
    return found.value.user_text


@pytest.mark.parametrize("pack", [zipped, tarred])
@pytest.mark.parametrize("flat", [False, True])
def test_a_skill_is_installed_with_all_its_files(tmp_path: Path, pack: object, flat: bool) -> None:
    files = skill() | {"__MACOSX/report/._SKILL.md": b"x", "report/.DS_Store": b"x"}
    if flat:
        files = {name.removeprefix("report/"): content for name, content in skill().items()}
    assert callable(pack)
    head = install_skill(pack(tmp_path / "it.skill", files), tmp_path / "skills", NOW)
    assert (head.name, head.description) == ("report", "Write weekly reports.")
    assert everything(tmp_path / "skills/report") == {"SKILL.md", "references", "references/style.md"}
    assert load_skill(tmp_path / "skills", "report") == head

    assert "is already there" in refused(tmp_path / "it.skill", tmp_path)
    remove_skill("report", tmp_path / "skills", NOW)
    assert installed_skills(tmp_path / "skills") == []
    with pytest.raises(SkillRefused, match="no skill"):
        remove_skill("../it.skill", tmp_path / "skills", NOW)


@pytest.mark.parametrize("pack", [zipped, tarred])
@pytest.mark.parametrize(
    "name",
    [
        "../out",
        "report/../../out",
        "/tmp/parley-skill-out",
        "\\out",
        "C:\\out",
        "report\\..\\out",
        "report/a\nb",
        "report/\x1b[2J",
        f"report/{'x' * 201}",
        "report/" + "d/" * 21 + "f",
        "other/file",
        "report/skill.MD",
        "report/SKILL.md/inner",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, pack: object, name: str) -> None:
    assert callable(pack)
    why = refused(pack(tmp_path / "it", skill() | {name: b"x"}), tmp_path)
    assert why.isprintable(), "nothing in it moves a terminal's cursor"


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_what_is_no_plain_file_in_a_tar_is_refused(tmp_path: Path, kind: bytes) -> None:
    entry = tarfile.TarInfo("report/x")
    entry.type, entry.linkname = kind, "/etc/passwd"
    assert "no plain file" in refused(tarred(tmp_path / "it.tgz", skill(), entry), tmp_path)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_what_is_no_plain_file_in_a_zip_is_refused(tmp_path: Path, kind: int) -> None:
    path = zipped(tmp_path / "it.zip", skill())
    entry = zipfile.ZipInfo("report/x")
    entry.external_attr = (kind | 0o777) << 16
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(entry, "/etc/passwd")
    assert "no plain file" in refused(path, tmp_path)


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_what_grows_too_large_is_refused(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    why = refused(pack(tmp_path / "it", skill() | {"report/zeros": bytes(20_000_000)}), tmp_path)
    assert "100 times its size" in why


def test_a_header_that_grows_too_large_is_refused(tmp_path: Path) -> None:
    (tmp_path / "it.tgz").write_bytes(gzip.compress(_long_header(2_000_000_000)))
    assert "100 times its size" in refused(tmp_path / "it.tgz", tmp_path)


def _long_header(size: int) -> bytes:
    """A header that says that a header of this size follows, and 30 MB of it."""
    entry = tarfile.TarInfo("x")
    entry.type, entry.size = tarfile.XHDTYPE, size
    return entry.tobuf(tarfile.GNU_FORMAT) + bytes(30_000_000)


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_too_many_files_are_refused(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    many = {f"report/{number}": b"" for number in range(limits._MOST_ENTRIES)}
    assert "more than 1,000 entries" in refused(pack(tmp_path / "it", skill() | many), tmp_path)


def test_a_directory_of_too_many_entries_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "it.zip").write_bytes(limits._ZIP_ENTRY * 20_000)
    assert "more than 1,000 entries" in refused(tmp_path / "it.zip", tmp_path)


def test_two_files_of_one_place_are_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "it.zip", skill())
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("report/SKILL.md", "another")
    assert "twice" in refused(path, tmp_path)


def test_what_is_encrypted_or_no_archive_is_refused(tmp_path: Path) -> None:
    content = bytearray(zipped(tmp_path / "it.zip", skill()).read_bytes())
    at = content.find(b"PK\x01\x02")
    content[at + 8] |= 1
    (tmp_path / "it.zip").write_bytes(content)
    assert "encrypted" in refused(tmp_path / "it.zip", tmp_path)
    (tmp_path / "it.zip").write_bytes(b"no archive")
    assert "broken" in refused(tmp_path / "it.zip", tmp_path)
    assert "No such file" in refused(tmp_path / "none.zip", tmp_path)


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_damaged_archive_is_refused_or_installed_and_never_more(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    content = pack(tmp_path / "it", skill()).read_bytes()
    chance = random.Random(7)
    for number in range(400):
        damaged = bytearray(content)
        for _ in range(chance.randint(1, 8)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        (tmp_path / "it").write_bytes(
            damaged[: chance.choice([len(damaged), chance.randrange(len(damaged))])]
        )
        try:
            install_skill(tmp_path / "it", tmp_path / f"skills-{number}", NOW)
        except SkillRefused:
            continue
    assert {each.name.partition("-")[0] for each in tmp_path.iterdir()} == {"it", "skills"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must begin with YAML"),
        ("# Report\n", "must begin with YAML"),
        ("---\nname: report\n", "must begin with YAML"),
        (HEAD.format(name="other", description="x"), "its name is other, but its folder is called report"),
        (HEAD.format(name="Report", description="x"), "its name must have"),
        (HEAD.format(name="re--port", description="x"), "its name must have"),
        (HEAD.format(name="report", description=""), "its description must have"),
        (HEAD.format(name="report", description="x" * 1_025), "its description must have"),
        (HEAD.format(name="report", description="[a]"), "its description must have"),
        (HEAD.format(name="report", description="a: b"), "line 3: its YAML cannot be read"),
        ("---\nname: report\nx: !!python/object/apply:os.system [id]\n---\n", "its description must have"),
        ("---\nx: " + "[" * 5_000 + "\n---\n", "YAML"),
        ("---\nname: report\n" + "x" * 20_000 + "\n---\n", "must begin with YAML"),
    ],
)
def test_a_head_that_is_none_is_refused(text: str, words: str) -> None:
    with pytest.raises(SkillRefused) as found:
        read_head(text, "report")
    assert words in found.value.user_text


def test_a_few_lines_that_stand_for_very_much_stay_a_few_lines() -> None:
    bomb = "a: &a {x: &b [y]}\n" + "".join(
        f"k{at}: &l{at} {{<<: [{', '.join(['*a' if not at else f'*l{at - 1}'] * 9)}]}}\n" for at in range(30)
    )
    text = f"---\nname: report\n{bomb}description: Write.\n---\n"
    assert read_head(text, "report").description == "Write."


def test_a_description_is_one_line_without_signs_of_control() -> None:
    text = HEAD.format(name="report", description='"a\\e[2J\\nb  c"')
    assert read_head(text).description == "a [2J b c"


def test_a_folder_that_a_link_leads_to_is_no_skill(tmp_path: Path) -> None:
    put(tmp_path / "elsewhere", skill())
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills/report").symlink_to(tmp_path / "elsewhere/report")
    with pytest.raises(SkillRefused):
        load_skill(tmp_path / "skills", "report")
