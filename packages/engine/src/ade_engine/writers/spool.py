"""Lets rows of several tables wait on disk, so that tables of one name become one, whatever order they come in."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ade_engine.cells import Value
from ade_engine.writers.look import Look

_Cells = Collection[tuple[int, int]]


class SpooledTable:
    """The rows of one output. Its columns are those of all its tables, in the order they came first."""

    def __init__(self, name: str, spool: Spool) -> None:
        self.name = name
        self.columns: list[str] = []
        self.look = Look()
        self._spool = spool
        self._chunks: list[tuple[int, tuple[int, ...]]] = []  # where in the file, and which columns it has
        self._order: tuple[int, ...] = ()

    def begin(self, columns: Sequence[str], look: Look) -> None:
        """Go on with the rows of a table that has these columns."""
        places = {title.casefold(): place for place, title in enumerate(self.columns)}
        for title in columns:
            if title.casefold() not in places:
                places[title.casefold()] = len(self.columns)
                self.columns.append(title)
        self._order = tuple(places[title.casefold()] for title in columns)
        self.look = self.look.joined(look.moved(self._order))

    def write_rows(self, rows: Sequence[Sequence[Value]], highlighted: _Cells = ()) -> None:
        """Take rows of the table that was begun last."""
        if rows:
            self._chunks.append((self._spool.add((rows, list(highlighted))), self._order))

    def chunks(self) -> Iterator[tuple[list[Sequence[Value]], list[tuple[int, int]]]]:
        """Yield all rows with a cell for each column, and the cells to highlight."""
        same = tuple(range(len(self.columns)))
        for place, order in self._chunks:
            rows, highlighted = self._spool.at(place)
            if order == same:
                yield rows, highlighted
            else:
                yield [self._aligned(row, order) for row in rows], [(row, order[cell]) for row, cell in highlighted]

    def _aligned(self, row: Sequence[Value], order: Sequence[int]) -> list[Value]:
        cells: list[Value] = [None] * len(self.columns)
        for place, value in zip(order, row, strict=True):
            cells[place] = value
        return cells


class Spool:
    """One file without a name that holds the rows of all outputs, a chunk after the other."""

    def __init__(self) -> None:
        import pickle  # few runs let rows wait
        import tempfile

        self._dump, self._load = pickle.dump, pickle.load
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close
        self.tables: dict[str, SpooledTable] = {}

    def table(self, name: str) -> SpooledTable:
        """Return the output of a name; case does not matter."""
        return self.tables.setdefault(name.casefold(), SpooledTable(name, self))

    def add(self, chunk: tuple[Sequence[Sequence[Value]], list[tuple[int, int]]]) -> int:
        """Write a chunk; return where it is."""
        place = self._file.seek(0, 2)
        self._dump(chunk, self._file)
        return place

    def at(self, place: int) -> tuple[list[Sequence[Value]], list[tuple[int, int]]]:
        """Return the chunk that was written there."""
        self._file.seek(place)
        chunk: tuple[list[Sequence[Value]], list[tuple[int, int]]] = self._load(self._file)
        return chunk

    def close(self) -> None:
        """Close the file."""
        self._file.close()
