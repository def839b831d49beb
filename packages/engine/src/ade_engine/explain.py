"""Says in words what an artifact says in numbers: why each header row and each mapping was chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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


def explain(artifact: Entry) -> str:
    """Return the explanation of a run, one paragraph per table."""
    return "\n".join(_lines(artifact)) + "\n"


def _lines(artifact: Entry) -> Iterator[str]:
    failure = artifact["run"]["failure"]
    if failure:
        yield f"{artifact['input']['name']}: the run failed ({failure['code']}). {failure['message']}"
    else:
        yield _opening(artifact)
    for sheet in artifact["sheets"]:
        if sheet["skipped"]:
            yield f"{_sheet_name(sheet)} was not read: {_SKIPPED[sheet['skipped']]}."
        elif not sheet["tables"]:
            yield f"{_sheet_name(sheet)}: no table was found."
        if sheet["formulas_without_value"]:
            count = _count(sheet["formulas_without_value"], "formula")
            advice = "Open and save the document in a spreadsheet program."
            yield f"{_sheet_name(sheet)}: {count} had no stored result and read as empty. {advice}"
        for table in sheet["tables"]:
            yield ""
            yield from _table(sheet, table)


_SKIPPED = {"hidden": "it is hidden", "hook": "a hook left it out"}


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


def _table(sheet: Entry, table: Entry) -> Iterator[str]:
    rows = table["rows"]
    yield f"{_sheet_name(sheet)}, table {table['range']} ({_count(rows['written'], 'row')} written):"
    yield "  " + _header(table["header"])
    for column in table["columns"]:
        yield "  " + _column(column)
    yield from ("  " + line for line in _skipped_rows(table))
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
    if len(rows) == 1:
        return f"Row {rows[0]}"
    return "Rows " + ", ".join(map(str, rows[:-1])) + f" and {rows[-1]}"


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
        because = _because(column["contributions"], _RULES)
        return f"{rival['field']} came closest with {_score(rival['score'])}, which is below the threshold{because}"
    return "a hook decided so" if column["reason"] == "hook" else "nothing speaks for any field"


def _because(contributions: Iterable[Entry], words: Mapping[str, str]) -> str:
    ordered = sorted(contributions, key=lambda found: -abs(found["delta"]))[:_MOST_REASONS]
    reasons = [f"{_reason(found, words)} ({found['delta']:+.2f})" for found in ordered]
    return ", because " + ", ".join(reasons) if reasons else ""


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


def _issues(counts: Entry) -> Iterator[str]:
    if counts["total"]:
        rules = ", ".join(f"{rule} {count}" for rule, count in counts["rules"].items())
        yield f"{_count(counts['total'], 'issue')}: {rules}."
