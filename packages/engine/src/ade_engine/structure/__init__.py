"""The first pass: find tables and their headers."""

from ade_engine.structure.find import find_tables
from ade_engine.structure.judge import RowContext
from ade_engine.structure.tables import Candidate, FoundTable, TableColumn

__all__ = ["Candidate", "FoundTable", "RowContext", "TableColumn", "find_tables"]
