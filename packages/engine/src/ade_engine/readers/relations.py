"""Reads which parts of an Office container a part refers to."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from ade_engine.readers.archive import Archive
from ade_engine.readers.xml_parts import elements
from ade_engine.records import record


@record
class Relation:
    """A reference: its id, the last word of its type ("worksheet"), and the name of the part meant."""

    id: str
    kind: str
    target: str


def read_relations(archive: Archive, part: str) -> Iterator[Relation]:
    """Yield what a part refers to; the empty name means the container itself."""
    folder, name = posixpath.split(part)
    relations = posixpath.join(folder, "_rels", f"{name}.rels")
    if relations not in archive:
        return
    for path, attributes in elements([archive.read(relations)]):
        if path[-1] == "Relationship":
            target = attributes.get("Target", "").replace("\\", "/")
            yield Relation(
                attributes.get("Id", ""),
                attributes.get("Type", "").rpartition("/")[2],
                posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/"),
            )
