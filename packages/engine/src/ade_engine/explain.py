"""Says in words what an artifact says in numbers: why each header row and each mapping was chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

Entry = Mapping[str, Any]
_RULES = {
    "header.alias": "the header is one of its names",
    "header.normalised": "the header is one of its names, apart from case or punctuation",
    "header.hint": "the header hints at it",
    "header.lowest": "the lowest row of the header is one of its names",
    "header.fuzzy": "the header is nearly one of its names",
    "header.words": "the header shares words with one of its names",
}
_HEADER_RULES = {
    "header.type_change": "its cells are of another kind than those below",
    "header.style": "it looks different from the rows below",
    "header.text": "it is made of texts",
    "header.coverage": "it names the columns below",
    "header.unique": "no name comes twice",
    "header.words": "it uses usual names of columns",
    "header.first": "it stands at the top",
    "header.part_of_stack": "it is part of a header of several rows",
    "header.names_repeated_values": "the values below repeat and never equal it",
    "header.again": "it is the header once more",
    "header.counts": "it counts the columns",
    "header.base": "most rows are no header",
    "header.numbers": "it holds numbers",
    "header.long": "it holds long texts",
    "header.marks": "it holds marks",
    "header.lone": "it holds one cell only",
    "header.caption": "it looks like a caption",
    "header.total_word": "it looks like a total",
    "header.value_below": "values below equal it",
    "header.under_numbers": "it stands below numbers",
    "header.second_row": "the row above is as good",
    "header.midst": "it stands amid rows like itself",
    "header.inside_list": "it stands inside a list",
}
_MOST_REASONS = 4
_MOST_SPANS = 10


def explain(artifact: Entry) -> str:
    """Return the explanation of a run, one paragraph per table."""
    return "\n".join(_lines(artifact)) + "\n"


def _lines(artifact: Entry) -> Iterator[str]:
    failure = artifact["run"]["failure"]
    if failure:
        yield f"{artifact['input']['name']}: the run failed ({failure['code']}). {failure['message']}"
    else:
        yield _opening(artifact)
    yield from _encoding(artifact["input"])
    for sheet in artifact["sheets"]:
        if state := _state(sheet):
            yield f"{_sheet_name(sheet)}{state}."
        if sheet["formulas_without_value"]:
            count = _count(sheet["formulas_without_value"], "formula")
            advice = "Open and save the document in a spreadsheet program."
            yield f"{_sheet_name(sheet)}: {count} had no stored result and read as empty. {advice}"
        for table in sheet["tables"]:
            yield ""
            yield from _table(sheet, table, is_written=not failure)


def _encoding(source: Entry) -> Iterator[str]:
    """Yield how the text was decoded, unless it is the usual way."""
    if source.get("encoding") in (None, "utf-8", "utf-8-sig", "utf-16"):
        return
    other = source["other_encoding"]
    yield f"The text was read as {source['encoding']}{f'; {other} is almost as likely' if other else ''}."


def _state(sheet: Entry) -> str | None:
    """Return how far a sheet was read, when its tables do not show it."""
    tables = sheet["tables"]
    if sheet["skipped"]:
        return f" was not read: {_SKIPPED[sheet['skipped']]}"
    if sheet["is_complete"]:
        return None if tables else f": {_why_no_table(sheet)}"
    if not tables:
        return ": the run failed here, before a table was found"
    return f": the run failed here, after {_count(len(tables), 'table')}" if tables[-1]["is_complete"] else None


_SKIPPED = {
    "hidden": 'it is hidden. Name it, or set [sheets] hidden = "read", to read it',
    "hook": "a hook left it out",
    "failure": "the run failed before it",
}


def _why_no_table(sheet: Entry) -> str:
    """Return what is known of a sheet without tables: an issue says what it holds instead."""
    told = [issue["message"] for issue in sheet["issues"] if issue["rule"] == "structure.no_table"]
    return str(told[0]) if told else "no table was found"


def _opening(artifact: Entry) -> str:
    summary, configuration = artifact["summary"], artifact["configuration"]
    is_built_in = not configuration or configuration["name"] == "built-in"
    rules = "the built-in rules" if is_built_in else f"configuration {configuration['name']}"
    found = _count(summary["tables"], "table")
    return f"{artifact['input']['name']}: {found} found with {rules}, {_count(summary['issues']['total'], 'issue')}."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _sheet_name(sheet: Entry) -> str:
    return f'Sheet "{sheet["name"]}"' if sheet["name"] is not None else "The document"


def _table(sheet: Entry, table: Entry, *, is_written: bool) -> Iterator[str]:
    rows = _count(table["rows"]["written"], "row")
    state = f"{rows} written" if is_written else f"{rows}, not written"
    yield f"{_sheet_name(sheet)}, table {table['range']} ({state if table['is_complete'] else 'the run failed here'}):"
    yield "  " + _header(table["header"])
    for column in table["columns"]:
        yield "  " + _column(column)
    yield from ("  " + line for line in _skipped_rows(table))
    yield from ("  " + line for line in _hidden(table["hidden"]))
    for field, change in table["transform"].items():
        if change["changed"]:
            rules = ", ".join(f"{rule} {count}" for rule, count in change["rules"].items())
            yield f"  {field}: {_count(change['changed'], 'value')} changed by a transform ({rules})."
    yield from ("  " + line for line in _issues(table["issue_counts"]))


def _header(header: Entry) -> str:
    rival = header["runner_up"]
    if not header["rows"]:
        return "It has no header row." + (f" {_against(header, rival)}" if rival else "")
    verb = "is" if len(header["rows"]) == 1 else "are"
    reasons = _because(header["contributions"], _HEADER_RULES)
    return f"{_rows(header['rows'])} {verb} the header: {_score(header['score'])}{_rival(header, rival)}{reasons}."


def _against(header: Entry, rival: Entry) -> str:
    return f"{_rows(rival['rows'])} came closest, {_score(header['margin'])} behind."


def _rival(header: Entry, rival: Entry | None) -> str:
    if rival is None:
        return ""
    name = _rows(rival["rows"]).lower() if rival["rows"] else "no header at all"
    return f", {_score(header['margin'])} better for the table than {name}"


def _rows(rows: Sequence[int]) -> str:
    """Return "Row 4" or "Rows 5-9, 14 and 17-30012"; what comes after the first spans is counted."""
    spans = list(_spans(rows))
    names = [str(first) if first == last else f"{first}-{last}" for first, last in spans[:_MOST_SPANS]]
    if rest := sum(last - first + 1 for first, last in spans[_MOST_SPANS:]):
        names.append(f"{rest:,} more")
    listed = ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else names[0]
    return f"{'Row' if len(rows) == 1 else 'Rows'} {listed}"


def _spans(rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last of rows that follow each other; two rows are listed, not spanned."""
    for _, group in groupby(enumerate(rows), key=lambda item: item[1] - item[0]):
        span = [row for _, row in group]
        if len(span) > 2:
            yield span[0], span[-1]
        else:
            yield from ((row, row) for row in span)


def _score(number: float | None) -> str:
    return "no score" if number is None else f"{number:.2f}"


def _column(column: Entry) -> str:
    name = f'Column {column["source"]} "{column["header"]}"' if column["header"] else f"Column {column['source']}"
    if column["target"] is None:
        return f"{name} is not mapped: {_unmapped(column)}."
    if column["reason"] == "hook":
        return f"{name} is {column['target']}: a hook decided so."
    rival = column["runner_up"]
    against = f" against {_score(rival['score'])} for {rival['field']}" if rival else ""
    return (
        f"{name} is {column['target']}: {_score(column['score'])}{against}{_because(column['contributions'], _RULES)}."
    )


def _unmapped(column: Entry) -> str:
    rival = column["runner_up"]
    if column["reason"] == "lost" and rival:
        return (
            f"it could be {rival['field']} ({_score(rival['score'])}), but column {column['lost_to']} is a better one"
        )
    if column["reason"] == "below_threshold" and rival:
        bar = _score(column["score"] - column["margin"])
        reasons = _reasons(column["contributions"], _RULES)
        return f"not enough evidence for {rival['field']} ({_score(rival['score'])} of {bar}): {reasons}"
    if column["reason"] == "ignored":
        return "the configuration leaves it out"
    return "a hook decided so" if column["reason"] == "hook" else "no evidence for any field"


def _because(contributions: Iterable[Entry], words: Mapping[str, str]) -> str:
    reasons = _reasons(contributions, words)
    return f", because {reasons}" if reasons else ""


def _reasons(contributions: Iterable[Entry], words: Mapping[str, str]) -> str:
    ordered = sorted(contributions, key=lambda found: -abs(found["delta"]))[:_MOST_REASONS]
    return ", ".join(f"{_reason(found, words)} ({found['delta']:+.2f})" for found in ordered)


def _reason(contribution: Entry, words: Mapping[str, str]) -> str:
    rule = contribution["rule"]
    if rule.startswith("values."):
        kind = rule.removeprefix("values.").replace("_", " ")
        return f"its values {'look' if contribution['delta'] > 0 else 'do not look'} like {kind}"
    return str(words.get(rule, rule))


_ROW_NAMES = {
    "title_rows": ("a title", "titles"),
    "totals_rows": ("a total", "totals"),
    "group_rows": ("a group heading", "group headings"),
    "note_rows": ("a note", "notes"),
    "repeated_header_rows": ("the header again", "the header again"),
}


def _skipped_rows(table: Entry) -> Iterator[str]:
    for key, (one, several) in _ROW_NAMES.items():
        if table[key]:
            what = f"is {one}" if len(table[key]) == 1 else f"are {several}"
            yield f"{_rows(table[key])} {what}, not data."


def _hidden(hidden: Entry) -> Iterator[str]:
    if hidden["rows"]:
        yield f"{_count(hidden['rows'], 'row')} of the data {_are(hidden['rows'])} hidden in the document."
    if hidden["columns"]:
        names = ", ".join(hidden["columns"])
        noun = "Column" if len(hidden["columns"]) == 1 else "Columns"
        yield f"{noun} {names} {_are(len(hidden['columns']))} hidden in the document."


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _issues(counts: Entry) -> Iterator[str]:
    if counts["total"]:
        rules = ", ".join(f"{rule} {count}" for rule, count in counts["rules"].items())
        yield f"{_count(counts['total'], 'issue')}: {rules}."
