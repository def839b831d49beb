"""Says in words what an artifact says in numbers: why each header row and each mapping was chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from ade_engine.rule_words import HEADER_RULES, HEADER_SIGNS, MAPPING_RULES, SETTING_RULES
from ade_engine.transposed_words import TRANSPOSED_RULES, transposed_lines

Entry = Mapping[str, Any]
_LIKELIHOODS = ((0.9, "almost certainly"), (0.7, "probably"), (0.4, "perhaps"), (0.0, "probably not exactly"))
_VERDICTS = {"ready": "Ready", "check": "Check", "not_usable": "Not usable"}
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
        yield from _verdict(artifact["verdict"])
        yield from _corrections(artifact["configuration"])
        yield from _templates(artifact.get("outputs", ()))
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


def _verdict(verdict: Entry | None) -> Iterator[str]:
    """Yield whether the result can be used, and every reason against it."""
    if verdict is None:
        return
    yield f"{_VERDICTS[verdict['verdict']]}: {verdict['sentence']}"
    if len(verdict["reasons"]) > 1:
        yield from (f"  - {reason['message']} ({reason['code']})" for reason in verdict["reasons"])


def _corrections(configuration: Entry | None) -> Iterator[str]:
    """Yield what people decided, with who and when."""
    for found in configuration["corrections"] if configuration else ():
        by, at = found["by"] or "somebody", f" on {found['at'][:10]}" if found["at"] else ""
        yield f"Corrected by {by}{at}: {found['message']}."


def _templates(outputs: Sequence[Entry]) -> Iterator[str]:
    """Yield where the rows are in a template, and what it has no column for."""
    for output in outputs:
        if (filled := output.get("template")) is None:
            continue
        place = f'{_count(filled["rows"], "row")} below row {filled["header_row"]} of sheet "{output["name"]}"'
        which = "which it does not have" if filled["is_new_sheet"] else ", ".join(filled["columns"].values())
        yield f"The template {filled['file']} was filled: {place} ({which})."
        if filled["left_out"]:
            yield f"It has no column for {', '.join(filled['left_out'])}, which is not in the output."


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
    "correction": "a person left it out",
    "failure": "the run failed before it",
}


def _why_no_table(sheet: Entry) -> str:
    """Return what is known of a sheet without tables: an issue says what it holds instead."""
    messages = [issue["message"] for issue in sheet["issues"] if issue["rule"] == "structure.no_table"]
    return str(messages[0]) if messages else "no table was found"


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
    transposed = table.get("transposed")
    if transposed is not None:
        reasons = _because(transposed["contributions"], TRANSPOSED_RULES)
        yield from ("  " + line for line in transposed_lines(transposed, reasons))
    if transposed is None or not transposed["is_turned"]:
        yield "  " + _header(table["header"])
    yield from ("  " + line for line in _confidence(table))
    for column in table["columns"]:
        yield "  " + _column(column)
    yield from ("  " + line for line in _skipped_rows(table))
    yield from ("  " + line for line in _hidden(table["hidden"]))
    for field, change in table["transform"].items():
        if change["changed"]:
            rules = ", ".join(f"{rule} {count}" for rule, count in change["rules"].items())
            yield f"  {field}: {_count(change['changed'], 'value')} changed by a transform ({rules})."
    yield from ("  " + line for line in _reshaped(table.get("reshaped", {})))
    yield from ("  " + line for line in _issues(table["issue_counts"]))


def _header(header: Entry) -> str:
    rival = header["runner_up"]
    if not header["rows"]:
        return "It has no header row." + (f" {_against(header, rival)}" if rival else "")
    verb = "is" if len(header["rows"]) == 1 else "are"
    reasons = _because(header["contributions"], {**HEADER_SIGNS, **HEADER_RULES, **SETTING_RULES})
    return f"{_rows(header['rows'])} {verb} the header: {_score(header['score'])}{_rival(header, rival)}{reasons}."


def _confidence(table: Entry) -> Iterator[str]:
    """Say how likely header and range are exactly right; artifacts of earlier versions do not know."""
    header, whole = table["header"].get("confidence"), table.get("confidence")
    if header is not None and whole is not None:
        yield f"Confidence: the header is {_likely(header)}, the range is {_likely(whole)}."


def _likely(probability: float) -> str:
    word = next(word for least, word in _LIKELIHOODS if probability >= least)
    return f"{word} right ({100 * probability:.0f} %)"


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
    what = f"{'Row' if column['source'].isdecimal() else 'Column'} {column['source']}"
    name = f'{what} "{column["header"]}"' if column["header"] else what
    if column["target"] is None:
        return f"{name} is not mapped: {_unmapped(column)}."
    if column["reason"] in ("hook", "corrected"):
        who = "a hook" if column["reason"] == "hook" else "a person"
        return f"{name} is {column['target']}: {who} decided it."
    rival = column["runner_up"]
    against = f" against {_score(rival['score'])} for {rival['field']}" if rival else ""
    if column["reason"] == "likely":
        reasons = _because(column["contributions"], MAPPING_RULES)
        origin = f", by what was learned from {column['learned_from']}" if column.get("learned_from") else ""
        words = _alike(column["header"], column["target"])
        return (
            f"{name} is {column['target']}: {_percent(column['confidence'])} likely{against}{origin}{words}{reasons}."
        )
    reasons = _because(column["contributions"], MAPPING_RULES)
    return f"{name} is {column['target']}: {_score(column['score'])}{against}{reasons}."


_HOW = {
    "equal": 'both have "{0}"',
    "meaning": '"{0}" means "{1}"',
    "spelling": '"{0}" stands for "{1}"',
    "near": '"{0}" is used for "{1}"',
}


def _alike(header: str, field: str) -> str:
    """Say which words of a header were matched with words of a field's name."""
    from ade_engine.mapping.likeness import words_in_common  # only where something was guessed

    told = [_HOW[how].format(one, other) for one, other, how in words_in_common(header, field)]
    return f" ({', '.join(told)})" if told else ""


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _unmapped(column: Entry) -> str:
    if column["reason"] == "unsure":
        told = [
            f"{_percent(found['confidence'])} {found['field']}{_alike(column['header'], found['field'])}"
            for found in column["suggestions"]
        ]
        reasons = _because(column["suggestions"][0]["contributions"], MAPPING_RULES)
        return f"it is not certain enough. Likely: {', '.join(told)}{reasons}"
    rival = column["runner_up"]
    if column["reason"] == "lost" and rival:
        return f"it could be {rival['field']} ({_score(rival['score'])}), but column {column['lost_to']} fits better"
    if column["reason"] == "below_threshold" and rival:
        bar = _score(column["score"] - column["margin"])
        reasons = _reasons(column["contributions"], MAPPING_RULES)
        return f"not enough evidence for {rival['field']} ({_score(rival['score'])} of {bar}): {reasons}"
    if column["reason"] in ("ignored", "unpivoted"):
        return "the configuration leaves it out" if column["reason"] == "ignored" else "its cells become rows"
    if column["reason"] == "kept":
        return "a person keeps it unchanged"
    if column["reason"] == "corrected":
        return "a person chose another column for its field"
    return "a hook decided it" if column["reason"] == "hook" else "no evidence for any field"


def _because(contributions: Iterable[Entry], words: Mapping[str, str | tuple[str, str]]) -> str:
    reasons = _reasons(contributions, words)
    return f", because {reasons}" if reasons else ""


def _reasons(contributions: Iterable[Entry], words: Mapping[str, str | tuple[str, str]]) -> str:
    others = [found for found in contributions if found["rule"] != "name.base"]
    ordered = sorted(others, key=lambda found: -abs(found["delta"]))[:_MOST_REASONS]
    return ", ".join(f"{_reason(found, words)} ({found['delta']:+.2f})" for found in ordered)


def _reason(contribution: Entry, words: Mapping[str, str | tuple[str, str]]) -> str:
    rule = contribution["rule"]
    if rule.startswith("values."):
        kind = rule.removeprefix("values.").replace("_", " ")
        return f"its values {'look' if contribution['delta'] > 0 else 'do not look'} like {kind}"
    text = words.get(rule) or _plain(rule)
    return text if isinstance(text, str) else text[contribution["delta"] < 0]


def _plain(rule: str) -> str:
    """Return the words of a learned sign: "header.bold_unlike_below" is "bold unlike below"."""
    label, _, sign = rule.partition(".")
    return sign.replace("_", " ") if label == "header" and sign else rule


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


def _reshaped(reshaped: Entry) -> Iterator[str]:
    """Yield how many rows each rule left out or added, and what became of the totals."""
    for rule, count in reshaped.get("dropped", {}).items():
        yield f"{_count(count, 'row')} left out: {_row_rule(rule)}."
    for rule, count in reshaped.get("added", {}).items():
        yield f"{_count(count, 'row')} added: {_row_rule(rule)}."
    totals = reshaped.get("totals", {"checked": 0})
    if totals["checked"]:
        yield f"{_count(totals['checked'], 'total')} compared with the rows, {totals['wrong']} wrong."


_ROW_RULES = {
    "correction": "a person decided it",
    "duplicates": "another row has the same key",
    "unpivot": "columns became rows",
    "unpivot.empty": "the cell of the column that became a row is empty",
    "join_lines": "they continue the row above",
    "hook.keep": "a hook decided it",
    "hook.expand": "a hook decided it",
}


def _row_rule(rule: str) -> str:
    kind, _, field = rule.partition(".")
    if kind in ("keep", "drop"):
        return f"{field} {'is not one of the values to keep' if kind == 'keep' else 'is one of the values to drop'}"
    return _ROW_RULES.get(rule, rule)


def _issues(counts: Entry) -> Iterator[str]:
    if counts["total"]:
        rules = ", ".join(f"{rule} {count}" for rule, count in counts["rules"].items())
        yield f"{_count(counts['total'], 'issue')}: {rules}."
