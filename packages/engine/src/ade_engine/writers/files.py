"""Names the files of formats without sheets: one for each table, with the table's name in it."""

from __future__ import annotations

import re
from pathlib import Path
from unicodedata import normalize

_NAME_LENGTH = 40
_OTHER = re.compile(r"[^A-Za-z0-9]+")
# -2-Leeds; -2 for a name without Latin letters; nothing for a single table.
ENDING = r"(?:-[1-9][0-9]*(?:-[A-Za-z0-9_]+)?|-issues)?"


class TableFiles:
    """The files written so far, in the order of the tables. A single table has a file without its name."""

    def __init__(self, path: Path) -> None:
        self.paths: list[Path] = []
        self._path = path
        self._names: list[str] = []

    def add(self, name: str) -> Path:
        """Return the path of the next table's file; the first of several gets its table's name now."""
        self._names.append(name)
        if len(self._names) == 2:
            self.paths[0] = self.paths[0].replace(self._numbered(1))
        path = self._path if len(self._names) == 1 else self._numbered(len(self._names))
        self.paths.insert(len(self._names) - 1, path)
        return path

    def add_issues(self) -> Path:
        """Return the path of the file of issues, which is no table and leaves the names of tables alone."""
        self.paths.append(self._path.with_stem(f"{self._path.stem}-issues"))
        return self.paths[-1]

    def has_tables(self) -> bool:
        """Return whether there is a file for a table."""
        return bool(self._names)

    def _numbered(self, number: int) -> Path:
        word = _in_ascii(self._names[number - 1])
        return self._path.with_stem(f"{self._path.stem}-{number}{word and f'-{word}'}")


def _in_ascii(name: str) -> str:
    """Return the Latin letters and digits of a name: every file system and file store takes these."""
    plain = normalize("NFKD", name).encode("ascii", "ignore").decode()
    return _OTHER.sub("_", plain)[:_NAME_LENGTH].strip("_")
