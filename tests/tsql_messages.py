"""Takes a message for SQL Server apart, as `ade.database.wire.batch` builds it: its statements and their values."""

import re
from collections.abc import Iterator
from typing import Any

_TOKEN = re.compile(r"N?'(?:[^']|'')*'|(?P<end>;(?=\n|$))|[^';N]+|[N;]")
_TEXT = re.compile(r"N'((?:[^']|'')*)'")
_CALL = re.compile(rf"EXEC sp_executesql {_TEXT.pattern}(?:, {_TEXT.pattern})?(.*)", re.DOTALL)
_GIVEN = re.compile(r", @p(\d+) = (N'(?:[^']|'')*'|[^,]+)")


def statements(message: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield the statements of a message, each with the values of its parameters @p1, @p2 …, in order.

    A statement ends with a semicolon and its line.
    """
    for part in _split(message):
        call = _CALL.fullmatch(part)
        if call is None:
            yield part, []
        else:
            given = [_value(text) for _, text in _GIVEN.findall(call[3])]
            yield call[1].replace("''", "'"), given


def _split(message: str) -> Iterator[str]:
    part: list[str] = []
    for token in _TOKEN.finditer(message):
        if token["end"]:
            yield "".join(part).strip()
            part = []
        else:
            part.append(token[0])
    if rest := "".join(part).strip():
        yield rest


def _value(text: str) -> Any:
    if text == "NULL":
        return None
    if found := _TEXT.fullmatch(text):
        return found[1].replace("''", "'")
    return float(text) if re.search(r"[.e]", text) else int(text)
