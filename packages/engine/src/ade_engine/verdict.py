"""Judges a result from what its artifact says: ready, check or not usable, with the reasons and one sentence.

Pure: the same artifact and settings give the same verdict, and no cell value is looked at. A result is ready when
nothing keeps it from being ready; every rule below gives a reason against that, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ade_engine.configuration.model import Settings
from ade_engine.evidence import DIGITS
from ade_engine.records import record
from ade_engine.verdict_facts import Entry, Facts, candidates, place_of, unknown_headers, wanted_columns
from ade_engine.verdict_words import counted, cut, in_places, listed, were

READY, CHECK, NOT_USABLE = "ready", "check", "not_usable"
VERDICTS = (READY, CHECK, NOT_USABLE)  # from the best to the worst
LONGEST_SENTENCE = 240
_MOST_CLAUSES = 3
_NAMES = ("header.alias", "header.normalised", "header.lowest")
_SURE_OF_HEADER = 2  # names of fields in one row that make it the header, whatever it looks like


@record(kw_only=True)
class Reason:
    """What keeps a result from being ready."""

    code: str
    verdict: str
    message: str
    fields: Sequence[str] = ()
    headers: Sequence[str] = ()
    places: Sequence[str] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the reason as the artifact holds it."""
        named = {"fields": list(self.fields), "headers": list(self.headers), "places": list(self.places)}
        return {"code": self.code, "verdict": self.verdict, "message": self.message, **named}


@record(kw_only=True)
class Verdict:
    """Whether a result can be used, why, and how well the document fits the configuration."""

    verdict: str
    sentence: str
    fit: float
    reasons: Sequence[Reason]

    def as_json(self) -> dict[str, Any]:
        """Return the verdict as the artifact and events hold it."""
        reasons = [reason.as_json() for reason in self.reasons]
        return {"verdict": self.verdict, "sentence": self.sentence, "fit": self.fit, "reasons": reasons}


def judge(artifact: Entry, settings: Settings) -> Verdict:
    """Return the verdict on a run that succeeded."""
    facts = Facts.of(artifact)
    reasons = [reason for rule in _RULES for reason in rule(facts, settings)]
    reasons.sort(key=lambda reason: -VERDICTS.index(reason.verdict))
    verdict = reasons[0].verdict if reasons else READY
    return Verdict(verdict=verdict, sentence=_sentence(facts, reasons), fit=_fit(facts), reasons=reasons)


# Not usable.


def _no_table(facts: Facts, _: Settings) -> Iterator[Reason]:
    if not facts.tables:
        yield Reason(code="no_table", verdict=NOT_USABLE, message="no table was found")


def _nothing_mapped(facts: Facts, _: Settings) -> Iterator[Reason]:
    if facts.tables and not facts.fitting:
        headers = unknown_headers(facts.tables)
        named = f"; the columns are {listed(headers)}" if headers else ""
        message = f"no column is a field of this configuration{named}"
        yield Reason(code="nothing_mapped", verdict=NOT_USABLE, message=message, headers=headers)


def _required(facts: Facts, settings: Settings) -> Iterator[Reason]:
    """Yield the required fields that most rows lack, or whose cells are mostly invalid."""
    if not facts.fitting:
        return
    fields = [field for field in facts.expected if field["is_required"]]
    missing = [field for field in fields if facts.share_without(field["field"]) > settings.verdict_invalid]
    if missing:
        yield _missing("required_missing", NOT_USABLE, facts, missing)
    invalid = [
        field for field in fields if field not in missing and _invalid_share(facts, field) > settings.verdict_invalid
    ]
    if invalid:
        labels = [field["label"] for field in invalid]
        message = f"most cells of {listed(labels)} are invalid"
        yield Reason(
            code="required_invalid", verdict=NOT_USABLE, message=message, fields=[field["field"] for field in invalid]
        )


def _invalid_share(facts: Facts, field: Entry) -> float:
    tables = [table for table in facts.fitting if field["field"] in table["transform"]]
    rows = sum(table["rows"]["written"] for table in tables)
    wrong = sum(table["issue_counts"]["fields"].get(field["field"], 0) for table in tables)
    return wrong / rows if rows else 0.0


# Check.


def _fields_missing(facts: Facts, settings: Settings) -> Iterator[Reason]:
    """Yield the expected fields that no table has, and those that only some tables have."""
    if not facts.fitting:
        return
    shares = {field["field"]: facts.share_without(field["field"]) for field in facts.expected}
    reported = [
        field["field"]
        for field in facts.expected
        if field["is_required"] and shares[field["field"]] > settings.verdict_invalid
    ]
    open_ones = [field for field in facts.expected if field["field"] not in reported]
    if missing := [field for field in open_ones if shares[field["field"]] == 1]:
        yield _missing("fields_missing", CHECK, facts, missing, is_first=not reported)
    partly = [field for field in open_ones if 0 < shares[field["field"]] < 1]
    if partly and not settings.outputs:  # with several outputs, a table has the fields of its own
        names = [field["field"] for field in partly]
        tables = [table for table in facts.fitting if any(name not in table["transform"] for name in names)]
        places = [facts.places[id(table)] for table in tables]
        message = f"{were([field['label'] for field in partly])} not found in {listed(places)}"
        yield Reason(code="fields_missing_in_part", verdict=CHECK, message=message, fields=names, places=places)


def _missing(code: str, verdict: str, facts: Facts, missing: Sequence[Entry], *, is_first: bool = True) -> Reason:
    """Return the reason that fields were not found, with the headers that are new in their place."""
    names, labels = [field["field"] for field in missing], [field["label"] for field in missing]
    headers = candidates(facts.fitting, names)
    if is_first and len(headers) < len(missing):
        headers = unknown_headers(facts.fitting)  # any of them may be what nothing was likely for
    new = f"; {listed(headers)} {'is' if len(headers) == 1 else 'are'} new" if headers else ""
    message = f"{were(labels)} not found{new}"
    return Reason(code=code, verdict=verdict, message=message, fields=names, headers=headers)


def _tables_unknown(facts: Facts, _: Settings) -> Iterator[Reason]:
    others = [table for table in facts.tables if not table["transform"]]
    if facts.fitting and others:
        places = [facts.places[id(table)] for table in others]
        message = f"no column of {listed(places)} is a field of this configuration"
        yield Reason(code="tables_unknown", verdict=CHECK, message=message, places=places)


def _columns_unknown(facts: Facts, settings: Settings) -> Iterator[Reason]:
    columns = [column for table in facts.fitting for column in wanted_columns(table)]
    unknown = [column for column in columns if column["target"] is None]
    allowed = settings.verdict_unknown if facts.expected else 0  # nothing else shows that it is the right document
    if columns and len(unknown) / len(columns) > allowed:
        match = "matches" if len(unknown) == 1 else "match"
        message = f"{len(unknown)} of {counted(len(columns), 'column')} {match} no field of this configuration"
        headers = unknown_headers(facts.fitting)
        yield Reason(code="columns_unknown", verdict=CHECK, message=message, headers=headers)


def _transposed(facts: Facts, _: Settings) -> Iterator[Reason]:
    """Yield the tables that look as if their fields were rows and were read as they are."""
    tables = [table for table in facts.tables if table.get("transposed") and not table["transposed"]["is_turned"]]
    if not tables:
        return
    places = [place_of(facts.sheet_of(table), table["transposed"]["range"]) for table in tables]
    many = len(tables) > 1
    if any(table["transposed"]["is_too_large"] for table in tables):
        look = "look transposed and are" if many else "looks transposed and is"
        message = f"{listed(places)} {look} too large to be turned"
    else:
        look = "look transposed: their first columns hold" if many else "looks transposed: its first column holds"
        message = f'{listed(places)} {look} the names of fields; set [tables] transposed to "turn", or to "never"'
    yield Reason(code="table_transposed", verdict=CHECK, message=message, places=places)


def _header_uncertain(facts: Facts, settings: Settings) -> Iterator[Reason]:
    doubtful = [
        table
        for table in facts.fitting
        if table["header"]["confidence"] < settings.verdict_header and not _is_header_named(table, facts)
    ]
    if doubtful:
        which = "the header row" if all(map(_has_header, doubtful)) else "whether there is a header"
        message = f"{which} is uncertain{in_places(facts.named(doubtful))}"
        yield Reason(code="header_uncertain", verdict=CHECK, message=message, places=facts.named(doubtful))


def _range_uncertain(facts: Facts, settings: Settings) -> Iterator[Reason]:
    doubtful = [table for table in facts.fitting if _range_confidence(table, facts) < settings.verdict_range]
    if doubtful:
        message = f"it is uncertain where the table begins and ends{in_places(facts.named(doubtful))}"
        yield Reason(code="range_uncertain", verdict=CHECK, message=message, places=facts.named(doubtful))


def _range_confidence(table: Entry, facts: Facts) -> float:
    """Return how likely the range is right; where names of fields prove the header, given that it is."""
    range_, header = float(table["confidence"]), float(table["header"]["confidence"])
    return min(1.0, range_ / header) if header and _is_header_named(table, facts) else range_


def _is_header_named(table: Entry, facts: Facts) -> bool:
    """Return whether the header is proved by its words: the names of fields stand in it."""
    named = sum(
        column["reason"] == "corrected" or any(found["rule"] in _NAMES for found in column["contributions"])
        for column in table["columns"]
        if column["target"] is not None
    )
    return _has_header(table) and named >= min(_SURE_OF_HEADER, max(1, len(facts.expected)))


def _has_header(table: Entry) -> bool:
    """Return whether a table has header rows, or columns of names where it was turned."""
    transposed = table.get("transposed")
    return bool(table["header"]["rows"] or (transposed and transposed["header_columns"]))


def _mapping_uncertain(facts: Facts, settings: Settings) -> Iterator[Reason]:
    labels = {field["field"]: field["label"] for field in facts.expected}
    doubtful = {
        column["target"]: column["header"] or f"column {column['source']}"
        for table in facts.fitting
        for column in table["columns"]
        if column["confidence"] is not None and column["confidence"] < settings.verdict_mapping
    }
    if doubtful:
        pairs = [f"{cut(header)} is probably {cut(labels.get(field, field))}" for field, header in doubtful.items()]
        message = listed(pairs, longest=LONGEST_SENTENCE)
        headers = list(doubtful.values())
        yield Reason(code="mapping_uncertain", verdict=CHECK, message=message, fields=[*doubtful], headers=headers)


def _no_rows(facts: Facts, _: Settings) -> Iterator[Reason]:
    if facts.fitting and not any(table["rows"]["written"] for table in facts.fitting):
        yield Reason(code="no_rows", verdict=CHECK, message="there are no rows")


def _totals_wrong(facts: Facts, _: Settings) -> Iterator[Reason]:
    wrong = sum(table["reshaped"]["totals"]["wrong"] for table in facts.fitting)
    if wrong:
        message = f"{counted(wrong, 'total')} {'does' if wrong == 1 else 'do'} not add up"
        yield Reason(code="totals_wrong", verdict=CHECK, message=message)


def _values_new(facts: Facts, _: Settings) -> Iterator[Reason]:
    new = sum(table["issue_counts"]["rules"].get("choices", 0) for table in facts.fitting)
    if new:
        message = (
            f"{counted(new, 'cell')} {'has' if new == 1 else 'have'} a value that is not one of its field's choices"
        )
        yield Reason(code="values_new", verdict=CHECK, message=message)


def _values_invalid(facts: Facts, settings: Settings) -> Iterator[Reason]:
    told = sum(
        table["issue_counts"]["rules"].get("choices", 0) + table["reshaped"]["totals"]["wrong"]
        for table in facts.fitting
    )
    flagged, cells = sum(table["issue_counts"]["cells"] for table in facts.fitting), facts.cell_count
    if flagged > told and flagged / max(1, cells) > settings.verdict_issues:
        names = {name: None for table in facts.fitting for name in table["issue_counts"]["fields"]}
        labels = {field["field"]: field["label"] for field in facts.expected}
        count = flagged - told
        where = f" in {listed([labels.get(name, name) for name in names])}" if names else ""
        message = f"{counted(count, 'cell')} {'has an issue' if count == 1 else 'have issues'}{where}"
        yield Reason(code="values_invalid", verdict=CHECK, message=message, fields=list(names))


def _sheet_issues(facts: Facts, settings: Settings) -> Iterator[Reason]:
    entries = [*facts.sheets, *facts.tables]
    about = [
        issue
        for entry in entries
        for issue in entry["issues"]
        if issue["cell"] is None and issue["severity"] != "info" and issue["rule"] != "required"
    ]
    # With several outputs, a table has the fields of its own.
    allowed = [
        issue for issue in about if issue["field"] and (issue["field"] in settings.verdict_optional or settings.outputs)
    ]
    count = sum(entry["issue_counts"]["whole"] for entry in entries) - len(allowed)
    if count <= 0 or not facts.tables:
        return
    first = next((issue for issue in about if issue not in allowed), None)
    if first is None:
        message = f"{counted(count, 'issue')} {'is' if count == 1 else 'are'} about whole sheets"
        yield Reason(code="sheet_issues", verdict=CHECK, message=message)
        return
    where = f"{cut(first['sheet'])}: " if first["sheet"] else ""
    what = f"{first['field']} {first['message']}" if first["field"] else first["message"]
    more = f" and {count - 1} more" if count > 1 else ""
    places = [first["sheet"]] if first["sheet"] else []
    yield Reason(code="sheet_issues", verdict=CHECK, message=f"{where}{what}{more}", places=places)


def _not_in_template(facts: Facts, _: Settings) -> Iterator[Reason]:
    filled = [output["template"] for output in facts.outputs if "template" in output]
    if headers := list(dict.fromkeys(title for template in filled for title in template["left_out"])):
        message = f"the template has no column for {listed(headers)}"
        yield Reason(code="not_in_template", verdict=CHECK, message=message, headers=headers)


_RULES: Sequence[Callable[[Facts, Settings], Iterator[Reason]]] = (
    _no_table,
    _nothing_mapped,
    _required,
    _fields_missing,
    _transposed,
    _tables_unknown,
    _columns_unknown,
    _header_uncertain,
    _range_uncertain,
    _mapping_uncertain,
    _no_rows,
    _totals_wrong,
    _values_new,
    _values_invalid,
    _sheet_issues,
    _not_in_template,
)


def _fit(facts: Facts) -> float:
    """Return how well a document fits: the fields that were found, the cells without issues, the columns known."""
    if not facts.fitting:
        return 0.0
    columns = [column for table in facts.tables for column in wanted_columns(table)]
    known = sum(column["target"] is not None for column in columns) / max(1, len(columns))
    shares = [1 - facts.share_without(field["field"]) for field in facts.expected]
    found = sum(shares) / len(shares) if shares else known
    flagged = sum(table["issue_counts"]["cells"] for table in facts.fitting)
    valid = 1 - min(1.0, flagged / max(1, facts.cell_count))
    return float(round(found * valid * (1 + known) / 2, DIGITS))


# Words.


def _sentence(facts: Facts, reasons: Sequence[Reason]) -> str:
    # Most else follows from a table that should be turned.
    told = sorted(reasons, key=lambda reason: reason.code != "table_transposed")
    clauses = [reason.message for reason in told[:_MOST_CLAUSES]] or [_all_right(facts)]
    text = "; ".join(clauses)
    while len(text) >= LONGEST_SENTENCE and len(clauses) > 1:
        clauses.pop()
        text = "; ".join(clauses)
    text = text if len(text) < LONGEST_SENTENCE else text[: LONGEST_SENTENCE - 2] + "…"
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "…")) else ".")


def _all_right(facts: Facts) -> str:
    fields = len(facts.expected)
    found = "the columns are known" if not fields else "the field was found" if fields == 1 else (
        f"all {fields} fields were found"
    )  # fmt: skip
    flagged = sum(table["issue_counts"]["cells"] for table in facts.fitting)
    have = "has an issue" if flagged == 1 else "have issues"
    issues = f"and {flagged:,} of {counted(facts.cell_count, 'cell')} {have}" if flagged else "and no cell has an issue"
    return f"{found}, {issues}"
