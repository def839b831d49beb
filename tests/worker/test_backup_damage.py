"""A backup that is not what was written is never taken for one, and what is wrong is named."""

import hashlib
import io
import random
import tarfile
import tracemalloc
from pathlib import Path

import pytest
import sqlalchemy as sa

from ade.clock import SystemClock
from ade.database.maintenance import snapshot
from ade.errors import BackupDamaged, BackupRefused, SchemaTooNew
from ade.files.archive import ArchiveReader, ArchiveWriter
from ade.operations.maintenance.backup import make_backup
from ade.operations.maintenance.backup_format import END, FORMAT, HEADER, MANIFEST, embedded_places, sealed, unsealed
from ade.operations.maintenance.restore import restore_backup, verify_backup
from ade.settings import load_settings
from worker.stage import Stage

CLOCK = SystemClock()


def quiet(_count: int, _size: int) -> None:
    """Show no progress."""


@pytest.fixture
def backup(local: Stage, tmp_path: Path) -> Path:
    local.document()
    local.document(bytes(range(256)) * 40)
    make_backup(embedded_places(local.system.settings), tmp_path / "b.tar", clock=CLOCK, progress=quiet)
    return tmp_path / "b.tar"


def members_of(path: Path) -> list[tarfile.TarInfo]:
    with tarfile.open(path) as archive:
        return archive.getmembers()


def flipped(path: Path, position: int) -> Path:
    data = bytearray(path.read_bytes())
    data[position] ^= 1
    changed = path.with_name("changed.tar")
    changed.write_bytes(data)
    return changed


def test_a_changed_byte_is_found_wherever_it_is(backup: Path) -> None:
    size = backup.stat().st_size
    members = members_of(backup)
    edges = {place for one in members for place in (one.offset, one.offset + 300, one.offset_data + one.size - 1)}
    paddings = {one.offset_data + one.size for one in members if one.size % 512}
    chosen = edges | paddings | {size - 1, size - 600, *random.Random(7).sample(range(size), 40)}

    for position in sorted(chosen):
        with pytest.raises(BackupDamaged):
            verify_backup(flipped(backup, position), progress=quiet)


def test_a_backup_that_was_cut_is_found_wherever_it_was(backup: Path) -> None:
    data = backup.read_bytes()
    for length in [0, 100, 511, 512, 513, len(data) // 2, len(data) - 1024, len(data) - 512, len(data) - 1]:
        (cut := backup.with_name("cut.tar")).write_bytes(data[:length])
        with pytest.raises(BackupDamaged):
            verify_backup(cut, progress=quiet)


def test_the_damaged_file_is_named_and_nothing_is_put_in_place(backup: Path, tmp_path: Path) -> None:
    member = next(one for one in members_of(backup) if one.name.startswith("files/documents/"))
    changed = flipped(backup, member.offset_data + 3)
    there = embedded_places(load_settings(data_dir=tmp_path / "there"))

    with pytest.raises(BackupDamaged, match=member.name):
        restore_backup(there, changed, clock=CLOCK, progress=quiet, is_replacing=False)

    assert [path.name for path in (tmp_path / "there").iterdir()] == ["in-use.lock"]


def test_a_good_backup_is_an_ordinary_tar_archive(backup: Path, local: Stage) -> None:
    names = [one.name for one in members_of(backup)]

    assert (names[:2], names[-2:]) == (["ade-backup.json", "ade.db"], ["manifest.ndjson", "end.json"])
    assert {f"files/{key}" for key in local.system.files.keys("documents")} <= set(names)
    assert verify_backup(backup, progress=quiet).missing == ()


@pytest.mark.parametrize(
    ("facts", "error"),
    [({"format": FORMAT + 1}, BackupRefused), ({"schema_revision": "9999"}, SchemaTooNew)],
)
def test_a_newer_program_is_named_before_anything_is_read(
    tmp_path: Path, facts: dict[str, object], error: type[Exception]
) -> None:
    header = {"format": FORMAT, "created_at": "", "ade_version": "9.0", "schema_revision": "0001", **facts}
    with (tmp_path / "b.tar").open("wb") as file:
        content = sealed(header)
        ArchiveWriter(file).add(HEADER, io.BytesIO(content), len(content))

    with pytest.raises(error):
        verify_backup(tmp_path / "b.tar", progress=quiet)


@pytest.mark.parametrize("line", [b"", b"[" * 100_000, b"[]", b"{}", b'{"format": "1"}', b"9" * 5000])
def test_a_sealed_header_of_another_shape_is_damage(tmp_path: Path, line: bytes) -> None:
    content = line + b"\n" + hashlib.sha256(line).hexdigest().encode() + b"\n"
    with (tmp_path / "b.tar").open("wb") as file:
        ArchiveWriter(file).add(HEADER, io.BytesIO(content), len(content))

    with pytest.raises(BackupDamaged, match=HEADER):
        verify_backup(tmp_path / "b.tar", progress=quiet)


@pytest.mark.parametrize("missing", [None, 5, "x", [1]])
def test_a_sealed_end_of_another_shape_is_damage(missing: object) -> None:
    with pytest.raises(BackupDamaged, match=END):
        unsealed(END, sealed({"manifest_sha256": "", "archive_sha256": "", "missing": missing}))


@pytest.mark.parametrize("name", ["files/../../evil", "files//etc/passwd", "elsewhere", "/ade.db"])
def test_a_forged_name_leads_nowhere(tmp_path: Path, name: str) -> None:
    header = {"format": FORMAT, "created_at": "", "ade_version": "", "schema_revision": "0001"}
    with (tmp_path / "b.tar").open("wb") as file:
        archive = ArchiveWriter(file)
        archive.add(HEADER, io.BytesIO(sealed(header)), len(sealed(header)))
        archive.add(name, io.BytesIO(b"x"), 1)
        archive.finish()
    there = embedded_places(load_settings(data_dir=tmp_path / "there"))

    with pytest.raises(BackupDamaged):
        restore_backup(there, tmp_path / "b.tar", clock=CLOCK, progress=quiet, is_replacing=False)

    assert [path.name for path in (tmp_path / "there").iterdir()] == ["in-use.lock"]


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (b"x" * 10_000_000, "a line of it has more than 65536 bytes"),
        (
            b'{"name": "files/a"}\n' * 100_000,
            "These files differ from the backup's manifest:\n(files/a\n){20}and more$",
        ),
    ],
    ids=["one line", "very many lines"],
)
def test_a_forged_manifest_is_not_kept_in_memory(tmp_path: Path, manifest: bytes, message: str) -> None:
    header = sealed({"format": FORMAT, "created_at": "", "ade_version": "", "schema_revision": "0001"})
    digests = {"manifest_sha256": hashlib.sha256(manifest).hexdigest(), "archive_sha256": ""}
    with (tmp_path / "b.tar").open("wb") as file:
        archive = ArchiveWriter(file)
        for name, content in ((HEADER, header), (MANIFEST, manifest), (END, sealed({**digests, "missing": []}))):
            archive.add(name, io.BytesIO(content), len(content))
        archive.finish()

    tracemalloc.start()
    try:
        with pytest.raises(BackupDamaged, match=message):
            verify_backup(tmp_path / "b.tar", progress=quiet)
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most_bytes < 10_000_000


def test_a_database_of_a_newer_program_is_not_backed_up(local: Stage, tmp_path: Path) -> None:
    local.write(lambda tx: tx.execute(sa.text("UPDATE alembic_version SET version_num = '9999'")))

    with pytest.raises(SchemaTooNew):
        make_backup(embedded_places(local.system.settings), tmp_path / "b.tar", clock=CLOCK, progress=quiet)

    assert not (tmp_path / "b.tar").exists()


def test_a_damaged_database_is_found_before_it_is_backed_up(local: Stage, tmp_path: Path) -> None:
    path = snapshot.path_of(local.system.settings.resolved_database_url)
    assert path is not None
    copy = tmp_path / "copy.db"
    snapshot.copy_database(path, copy)
    data = bytearray(copy.read_bytes())
    data[4096 * 3 : 4096 * 6] = bytes(4096 * 3)
    copy.write_bytes(data)

    with pytest.raises(BackupDamaged, match="database"):
        snapshot.require_sound(copy)


def test_names_longer_than_a_header_are_kept(tmp_path: Path) -> None:
    name = "files/" + "/".join(["part"] * 70)
    with (tmp_path / "a.tar").open("wb") as file:
        archive = ArchiveWriter(file)
        archive.add(name, io.BytesIO(b"content"), 7)
        archive.finish()

    with (tmp_path / "a.tar").open("rb") as file:
        found = [(entry.name, b"".join(entry.chunks)) for entry in ArchiveReader(file).entries()]

    assert found == [(name, b"content")]
