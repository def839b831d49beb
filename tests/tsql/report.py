"""Checks what was recorded, and says by module how many statements there were and what is wrong with them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tsql import call_sites, grammar, rules, schema_rules
from tsql.commands import command
from tsql.recording import TESTS
from tsql.rules import Finding

# Their statements are sent for each run that is claimed or ends, most of them while the queue is locked.
HOT = {f"database/queue/{name}.py" for name in ("claim", "control", "finishing", "runs", "workers")}
# Places that only another database gets to.
ELSEWHERE = {
    ("database/queue/finishing.py", "ask_to_finish"): "one statement ends a run and reads other rows: PostgreSQL",
    ("database/queue/finishing.py", "_succeeded"): "the same",
    ("database/queue/finishing.py", "_end_all"): "one statement ends many runs: PostgreSQL",
    ("database/queue/postgres_listener.py", "_open"): "LISTEN: PostgreSQL",
    ("database/queue/idle.py", "note"): "workers that wait are noted where they get messages",
    ("database/queue/idle.py", "pick"): "the same",
    ("database/queue/idle.py", "pick_and_notify"): "the same, and NOTIFY: PostgreSQL",
}


@dataclass
class Sent:
    """A statement that a module sent: how often, and the values that its parameters had, NULL left out."""

    count: int = 0
    values: dict[str, set[Any]] = field(default_factory=dict)
    is_bound: bool = False  # by the driver, which asks the server for the type of each NULL

    @property
    def always_null(self) -> list[str]:
        """The parameters that never had a value."""
        return [name for name, known in self.values.items() if not known]


@dataclass
class Recording:
    """What was recorded: statements by module and text, and the lines of the product that sent them."""

    statements: dict[tuple[str, str], Sent] = field(default_factory=dict)
    lines: set[tuple[str, int]] = field(default_factory=set)

    @property
    def modules(self) -> list[str]:
        """The modules that sent something."""
        return sorted({module for module, _ in self.statements})

    def texts(self, module: str) -> list[str]:
        """Return what a module sent that is no mere command, such as COMMIT."""
        return [sql for sender, sql in self.statements if sender == module and command(sql) is None]


def load(folder: Path) -> Recording:
    """Read the recordings of every process, without what the tests sent themselves."""
    found = Recording()
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            _add(found, json.loads(line))
    return found


def _add(recording: Recording, facts: dict[str, Any]) -> None:
    if "place" in facts:
        recording.lines.add((facts["place"], facts["line"]))
    elif facts["module"] != TESTS:
        sent = recording.statements.setdefault((facts["module"], facts["sql"]), Sent())
        sent.count += facts.get("count", 0)
        sent.is_bound = sent.is_bound or facts.get("is_bound", False)
        for name, known in facts.get("values", {}).items():
            sent.values.setdefault(name, set()).update(known)


def findings(recording: Recording) -> dict[str, list[Finding]]:
    """Return the mistakes of each module."""
    found: dict[str, list[Finding]] = {module: [] for module in recording.modules}
    faults = grammar.faults(sql for module in recording.modules for sql in recording.texts(module))
    for module in recording.modules:
        texts = recording.texts(module)
        for sql in texts:
            fault = faults.get(grammar.shape(sql))
            found[module] += [_in(sql, one) for one in rules.findings(sql, recording.statements[module, sql].values)]
            found[module] += [_in(sql, Finding("grammar", fault))] if fault else []
        found[module] += schema_rules.findings(texts)
    for (module, sql), sent in recording.statements.items():
        if module in HOT and sent.is_bound and sent.always_null and sql.lstrip().startswith("UPDATE"):
            found[module].append(_in(sql, Finding("null_as_parameter", "sa.null() costs no message of its own")))
    for place in unreached(recording):
        found.setdefault(place.module, []).append(Finding("not_recorded", f"{place.function}, line {place.first}"))
    return found


def _in(sql: str, found: Finding) -> Finding:
    return Finding(found.rule, f"{found.text}\n      in: {' '.join(sql.split())[:400]}")


def unreached(recording: Recording) -> Iterator[call_sites.Place]:
    """Return the places that send statements, and sent none here."""
    places = sorted(set(call_sites.places()))
    reached = {place for place in places if place.lines & recording.lines}
    same = {(place.module, place.function, place.text) for place in reached}  # sent again when another came first
    for place in places:
        if (place.module, place.function, place.text) not in same and (place.module, place.function) not in ELSEWHERE:
            yield place


def table(recording: Recording, found: dict[str, list[Finding]]) -> list[str]:
    """Return the report, line by line."""
    lines = [f"{'module':58} {'sent':>8} {'distinct':>9} {'mistakes':>9}"]
    for module in sorted(found):
        own = [sent for (sender, _), sent in recording.statements.items() if sender == module]
        lines.append(f"{module:58} {sum(s.count for s in own):8} {len(own):9} {len(found[module]):9}")
    lines += [f"  {module}: {one.rule}: {one.text}" for module in sorted(found) for one in found[module]]
    distinct = {grammar.shape(sql) for _, sql in recording.statements}
    places = len(set(call_sites.places()))
    count = sum(map(len, found.values()))
    total = sum(sent.count for sent in recording.statements.values())
    return [
        *lines,
        f"{total} statements for SQL Server, {len(distinct)} distinct, from {len(recording.modules)} modules and "
        f"{places} places: {count} mistakes",
    ]
