"""Judges a result from what its artifact says: ready, check or not usable, with the reasons and one sentence.

Pure: the same artifact and settings give the same verdict, and no cell value is looked at. A result is ready when
nothing keeps it from being ready; every rule below gives a reason against that, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ade_engine.configuration.model import Settings
from ade_engine.evidence import DIGITS
from ade_engine.records import record

READY, CHECK, NOT_USABLE = "ready", "check", "not_usable"
VERDICTS = (READY, CHECK, NOT_USABLE)  # from the best to the worst
LONGEST_SENTENCE = 240
_LONGEST_NAME = 40
_MOST_NAMED = 3
_MOST_CLAUSES = 3
_KNOWN = ("ignored", "kept", "unpivoted")  # columns without a field, as the configuration wants it
_NAMES = ("header.alias", "header.normalised", "header.lowest")
_SURE_OF_HEADER = 2  # names of fields in one row that make it the header, whatever it looks like
Entry = Mapping[str, Any]


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
    facts = _Facts.of(artifact)
    reasons = [reason for rule in _RULES for reason in rule(facts, settings)]
    reasons.sort(key=lambda reason: -VERDICTS.index(reason.verdict))
    verdict = reasons[0].verdict if reasons else READY
    return Verdict(verdict=verdict, sentence=_sentence(facts, reasons), fit=_fit(facts), reasons=reasons)


@record(kw_only=True)
class _Facts:
    """What the rules ask of an artifact: `fitting` are the tables in which a field was found."""

    sheets: Sequence[Entry]
    tables: Sequence[Entry]
    fitting: Sequence[Entry]
    expected: Sequence[Entry]
    places: Mapping[int, str]  # by the identity of a table
    outputs: Sequence[Entry]

    @classmethod
    def of(cls, artifact: Entry) -> _Facts:
        sheets = artifact["sheets"]
        tables = [table for sheet in sheets for table in sheet["tables"]]
        places = {
            id(table): _place(sheet["name"], table["range"] if len(sheet["tables"]) > 1 else None)
            for sheet in sheets
            for table in sheet["tables"]
        }
        return cls(
            sheets=sheets,
            tables=tables,
            fitting=[table for table in tables if table["transform"]],
            expected=artifact["configuration"]["expected"],
            places=places,
            outputs=artifact.get("outputs", ()),
        )

    def sheet_of(self, table: Entry) -> str | None:
        """Return the name of the sheet that a table is in."""
        names = (sheet["name"] for sheet in self.sheets if any(one is table for one in sheet["tables"]))
        name: str | None = next(names)
        return name

    def share_without(self, field: str) -> float:
        """Return the share of rows in tables that fit and lack the field."""
        weights = [max(1, table["rows"]["written"]) for table in self.fitting]
        lacking = [
            weight for table, weight in zip(self.fitting, weights, strict=True) if field not in table["transform"]
        ]
        return sum(lacking) / sum(weights) if weights else 1.0

    def cells_of(self, table: Entry) -> int:
        """Return how many cells of fields a table has."""
        return int(table["rows"]["written"]) * len(table["transform"])

    def named(self, tables: Sequence[Entry]) -> list[str]:
        """Return the places of tables, when it is not all of them."""
        return [] if len(tables) == len(self.tables) else [self.places[id(table)] for table in tables]


def _place(sheet: str | None, area: str | None) -> str:
    return " ".join(_cut(part) for part in (sheet, area) if part) or "the table"


# Not usable.


def _no_table(facts: _Facts, _: Settings) -> Iterator[Reason]:
    if not facts.tables:
        yield Reason(code="no_table", verdict=NOT_USABLE, message="no table was found")


def _nothing_mapped(facts: _Facts, _: Settings) -> Iterator[Reason]:
    if facts.tables and not facts.fitting:
        headers = _unknown_headers(facts.tables)
        named = f"; the columns are {_listed(headers)}" if headers else ""
        message = f"no column is a field of this configuration{named}"
        yield Reason(code="nothing_mapped", verdict=NOT_USABLE, message=message, headers=headers)


def _required(facts: _Facts, settings: Settings) -> Iterator[Reason]:
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
        message = f"most cells of {_listed(labels)} are invalid"
        yield Reason(
            code="required_invalid", verdict=NOT_USABLE, message=message, fields=[field["field"] for field in invalid]
        )


def _invalid_share(facts: _Facts, field: Entry) -> float:
    tables = [table for table in facts.fitting if field["field"] in table["transform"]]
    rows = sum(table["rows"]["written"] for table in tables)
    wrong = sum(table["issue_counts"]["fields"].get(field["field"], 0) for table in tables)
    return wrong / rows if rows else 0.0


# Check.


def _fields_missing(facts: _Facts, settings: Settings) -> Iterator[Reason]:
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
        message = f"{_were([field['label'] for field in partly])} not found in {_listed(places)}"
        yield Reason(code="fields_missing_in_part", verdict=CHECK, message=message, fields=names, places=places)


def _missing(code: str, verdict: str, facts: _Facts, missing: Sequence[Entry], *, is_first: bool = True) -> Reason:
    """Return the reason that fields were not found, with the headers that are new in their place."""
    names, labels = [field["field"] for field in missing], [field["label"] for field in missing]
    headers = _candidates(facts.fitting, names)
    if is_first and len(headers) < len(missing):
        headers = _unknown_headers(facts.fitting)  # any of them may be what nothing was likely for
    new = f"; {_listed(headers)} {'is' if len(headers) == 1 else 'are'} new" if headers else ""
    message = f"{_were(labels)} not found{new}"
    return Reason(code=code, verdict=verdict, message=message, fields=names, headers=headers)


def _tables_unknown(facts: _Facts, _: Settings) -> Iterator[Reason]:
    others = [table for table in facts.tables if not table["transform"]]
    if facts.fitting and others:
        places = [facts.places[id(table)] for table in others]
        message = f"no column of {_listed(places)} is a field of this configuration"
        yield Reason(code="tables_unknown", verdict=CHECK, message=message, places=places)


def _columns_unknown(facts: _Facts, settings: Settings) -> Iterator[Reason]:
    columns = [column for table in facts.fitting for column in _wanted(table)]
    unknown = [column for column in columns if column["target"] is None]
    allowed = settings.verdict_unknown if facts.expected else 0  # nothing else shows that it is the right document
    if columns and len(unknown) / len(columns) > allowed:
        match = "matches" if len(unknown) == 1 else "match"
        message = f"{len(unknown)} of {_count(len(columns), 'column')} {match} no field of this configuration"
        headers = _unknown_headers(facts.fitting)
        yield Reason(code="columns_unknown", verdict=CHECK, message=message, headers=headers)


def _transposed(facts: _Facts, _: Settings) -> Iterator[Reason]:
    """Yield the tables that look as if their fields were rows and were read as they are."""
    tables = [table for table in facts.tables if table.get("transposed") and not table["transposed"]["is_turned"]]
    if not tables:
        return
    places = [_place(facts.sheet_of(table), table["transposed"]["range"]) for table in tables]
    many = len(tables) > 1
    if any(table["transposed"]["is_too_large"] for table in tables):
        look = "look transposed and are" if many else "looks transposed and is"
        message = f"{_listed(places)} {look} too large to be turned"
    else:
        look = "look transposed: their first columns hold" if many else "looks transposed: its first column holds"
        message = f'{_listed(places)} {look} the names of fields; set [tables] transposed to "turn", or to "never"'
    yield Reason(code="table_transposed", verdict=CHECK, message=message, places=places)


def _header_uncertain(facts: _Facts, settings: Settings) -> Iterator[Reason]:
    doubtful = [
        table
        for table in facts.fitting
        if table["header"]["confidence"] < settings.verdict_header and not _is_header_named(table, facts)
    ]
    if doubtful:
        which = "the header row" if all(map(_has_header, doubtful)) else "whether there is a header"
        message = f"{which} is uncertain{_in(facts.named(doubtful))}"
        yield Reason(code="header_uncertain", verdict=CHECK, message=message, places=facts.named(doubtful))


def _range_uncertain(facts: _Facts, settings: Settings) -> Iterator[Reason]:
    doubtful = [table for table in facts.fitting if _range_confidence(table, facts) < settings.verdict_range]
    if doubtful:
        message = f"it is uncertain where the table begins and ends{_in(facts.named(doubtful))}"
        yield Reason(code="range_uncertain", verdict=CHECK, message=message, places=facts.named(doubtful))


def _range_confidence(table: Entry, facts: _Facts) -> float:
    """Return how likely the range is right; where names of fields prove the header, given that it is."""
    range_, header = float(table["confidence"]), float(table["header"]["confidence"])
    return min(1.0, range_ / header) if header and _is_header_named(table, facts) else range_


def _is_header_named(table: Entry, facts: _Facts) -> bool:
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


def _mapping_uncertain(facts: _Facts, settings: Settings) -> Iterator[Reason]:
    labels = {field["field"]: field["label"] for field in facts.expected}
    doubtful = {
        column["target"]: column["header"] or f"column {column['source']}"
        for table in facts.fitting
        for column in table["columns"]
        if column["confidence"] is not None and column["confidence"] < settings.verdict_mapping
    }
    if doubtful:
        pairs = [f"{_cut(header)} is probably {_cut(labels.get(field, field))}" for field, header in doubtful.items()]
        message = _listed(pairs, longest=LONGEST_SENTENCE)
        headers = list(doubtful.values())
        yield Reason(code="mapping_uncertain", verdict=CHECK, message=message, fields=[*doubtful], headers=headers)


def _no_rows(facts: _Facts, _: Settings) -> Iterator[Reason]:
    if facts.fitting and not any(table["rows"]["written"] for table in facts.fitting):
        yield Reason(code="no_rows", verdict=CHECK, message="there are no rows")


def _totals_wrong(facts: _Facts, _: Settings) -> Iterator[Reason]:
    wrong = sum(table["reshaped"]["totals"]["wrong"] for table in facts.fitting)
    if wrong:
        message = f"{_count(wrong, 'total')} {'does' if wrong == 1 else 'do'} not add up"
        yield Reason(code="totals_wrong", verdict=CHECK, message=message)


def _values_new(facts: _Facts, _: Settings) -> Iterator[Reason]:
    new = sum(table["issue_counts"]["rules"].get("choices", 0) for table in facts.fitting)
    if new:
        message = (
            f"{_count(new, 'cell')} {'has' if new == 1 else 'have'} a value that is not one of its field's choices"
        )
        yield Reason(code="values_new", verdict=CHECK, message=message)


def _values_invalid(facts: _Facts, settings: Settings) -> Iterator[Reason]:
    told = sum(
        table["issue_counts"]["rules"].get("choices", 0) + table["reshaped"]["totals"]["wrong"]
        for table in facts.fitting
    )
    flagged, cells = sum(table["issue_counts"]["cells"] for table in facts.fitting), _cells(facts)
    if flagged > told and flagged / max(1, cells) > settings.verdict_issues:
        names = {name: None for table in facts.fitting for name in table["issue_counts"]["fields"]}
        labels = {field["field"]: field["label"] for field in facts.expected}
        count = flagged - told
        where = f" in {_listed([labels.get(name, name) for name in names])}" if names else ""
        message = f"{_count(count, 'cell')} {'has an issue' if count == 1 else 'have issues'}{where}"
        yield Reason(code="values_invalid", verdict=CHECK, message=message, fields=list(names))


def _sheet_issues(facts: _Facts, settings: Settings) -> Iterator[Reason]:
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
        message = f"{_count(count, 'issue')} {'is' if count == 1 else 'are'} about whole sheets"
        yield Reason(code="sheet_issues", verdict=CHECK, message=message)
        return
    where = f"{_cut(first['sheet'])}: " if first["sheet"] else ""
    what = f"{first['field']} {first['message']}" if first["field"] else first["message"]
    more = f" and {count - 1} more" if count > 1 else ""
    places = [first["sheet"]] if first["sheet"] else []
    yield Reason(code="sheet_issues", verdict=CHECK, message=f"{where}{what}{more}", places=places)


def _not_in_template(facts: _Facts, _: Settings) -> Iterator[Reason]:
    filled = [output["template"] for output in facts.outputs if "template" in output]
    if headers := list(dict.fromkeys(title for template in filled for title in template["left_out"])):
        message = f"the template has no column for {_listed(headers)}"
        yield Reason(code="not_in_template", verdict=CHECK, message=message, headers=headers)


_RULES: Sequence[Callable[[_Facts, Settings], Iterator[Reason]]] = (
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


def _fit(facts: _Facts) -> float:
    """Return how well a document fits: the fields that were found, the cells without issues, the columns known."""
    if not facts.fitting:
        return 0.0
    columns = [column for table in facts.tables for column in _wanted(table)]
    known = sum(column["target"] is not None for column in columns) / max(1, len(columns))
    shares = [1 - facts.share_without(field["field"]) for field in facts.expected]
    found = sum(shares) / len(shares) if shares else known
    flagged = sum(table["issue_counts"]["cells"] for table in facts.fitting)
    valid = 1 - min(1.0, flagged / max(1, _cells(facts)))
    return float(round(found * valid * (1 + known) / 2, DIGITS))


def _cells(facts: _Facts) -> int:
    return sum(facts.cells_of(table) for table in facts.fitting)


def _wanted(table: Entry) -> list[Entry]:
    """Return the columns of a table without those the configuration leaves out or makes rows of."""
    return [column for column in table["columns"] if column["reason"] not in _KNOWN]


def _unknown_headers(tables: Sequence[Entry]) -> list[str]:
    found = (column["header"] for table in tables for column in _wanted(table) if column["target"] is None)
    return [header for header in dict.fromkeys(found) if header]


def _candidates(tables: Sequence[Entry], fields: Sequence[str]) -> list[str]:
    """Return the headers of columns that are likely to be one of the fields."""
    found = [
        column["header"]
        for table in tables
        for column in table["columns"]
        if any(suggestion["field"] in fields for suggestion in column["suggestions"])
    ]
    return [header for header in dict.fromkeys(found) if header]


# Words.


def _sentence(facts: _Facts, reasons: Sequence[Reason]) -> str:
    # Most else follows from a table that should be turned.
    told = sorted(reasons, key=lambda reason: reason.code != "table_transposed")
    clauses = [reason.message for reason in told[:_MOST_CLAUSES]] or [_all_right(facts)]
    text = "; ".join(clauses)
    while len(text) >= LONGEST_SENTENCE and len(clauses) > 1:
        clauses.pop()
        text = "; ".join(clauses)
    text = text if len(text) < LONGEST_SENTENCE else text[: LONGEST_SENTENCE - 2] + "…"
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "…")) else ".")


def _all_right(facts: _Facts) -> str:
    fields = len(facts.expected)
    found = "the columns are known" if not fields else "the field was found" if fields == 1 else (
        f"all {fields} fields were found"
    )  # fmt: skip
    flagged = sum(table["issue_counts"]["cells"] for table in facts.fitting)
    have = "has an issue" if flagged == 1 else "have issues"
    issues = f"and {flagged:,} of {_count(_cells(facts), 'cell')} {have}" if flagged else "and no cell has an issue"
    return f"{found}, {issues}"


def _in(places: Sequence[str]) -> str:
    return f" in {_listed(places)}" if places else ""


def _were(labels: Sequence[str]) -> str:
    return f"{_listed(labels)} {'was' if len(labels) == 1 else 'were'}"


def _listed(names: Sequence[str], *, longest: int = _LONGEST_NAME) -> str:
    """Return names in words; only the first few of many."""
    shown = [_cut(name, longest) for name in names[:_MOST_NAMED]]
    if len(names) > _MOST_NAMED:
        return f"{', '.join(shown)} and {len(names) - _MOST_NAMED} more"
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def _cut(name: str, longest: int = _LONGEST_NAME) -> str:
    name = " ".join(name.split())
    return name if len(name) <= longest else name[: longest - 1] + "…"


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
