"""Separates running text from tables: letters, instructions and terms are written into cells, too.

Text is recognised by its form in any language: sentences that end in a full stop, phrases of many words, lines that
continue the line above, paragraphs behind a number or a bullet.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ade_engine.cells import Value
from ade_engine.structure import weights as w
from ade_engine.structure.assemble import Draft
from ade_engine.structure.grid import Line
from ade_engine.structure.kinds import CODE, DATE, EMPTY, FLAG, LONG, LONG_LENGTH, MARK, TEXTUAL, VALUES
from ade_engine.structure.words import is_header_word, is_note_text

_STOPS = (".", "!", "?", "…", "。", "！", "？", "।", "؟")  # noqa: RUF001
_GOES_ON = (",", ";", ":", "，", "；", "：", "、", "{", "(", "[")  # noqa: RUF001
_NUMBER = r"\(?(?:\d{1,2}(?:\.\d{1,2}){0,3}|[A-Za-z]|[IVXivx]{1,5})[.):]?"
_BULLET = r"[-*•·◦▪►>\u2013\u2014]{1,2}"
_ITEM = re.compile(rf"(?:{_BULLET}|(?!\d+\s){_NUMBER})\s+\S")
_MARKS = frozenset(_STOPS + _GOES_ON)
_HEADING = re.compile(r"#{1,6}\s+\w")
_MAY_RUN = TEXTUAL | {MARK, CODE}
_SIGN = re.compile(rf"{_NUMBER}|{_BULLET}|\w+\s?\d{{1,2}}[.:]?|[^:]{{1,30}}:")


class Prose:
    """Tells which tables of a block are running text; each is looked at once, in however many labellings it comes.

    A draft with a claimed line, one that a rule of the configuration calls a header or data, is never text.
    """

    def __init__(self, lines: Sequence[Line], claimed: frozenset[int]) -> None:
        self._lines, self._claimed = lines, claimed
        self._known: dict[tuple[tuple[int, ...], tuple[int, ...]], bool] = {}
        self._kind: tuple[bool, bool] | None = None

    def without(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Leave out what is running text: a list of sentences, numbered paragraphs, sentences cut at their commas."""
        return [draft for draft in drafts if not self._is_text(draft)]

    def _is_text(self, draft: Draft) -> bool:
        key = tuple(draft.headers), tuple(draft.data)
        if key not in self._known:
            self._known[key] = self._claimed.isdisjoint(draft.headers + draft.data) and self._reads_as_text(draft)
        return self._known[key]

    def _reads_as_text(self, draft: Draft) -> bool:
        if self._kind is None:
            is_split = _is_split_text(self._lines)
            self._kind = is_split, not is_split and _share(self._lines) >= w.PROSE_LINES
        is_split, is_text = self._kind
        rows = [self._lines[i] for i in draft.headers + draft.data]
        return (is_split and not _is_regular(rows)) or (is_text and _is_wordy(rows)) or _is_prose(draft, self._lines)


def _is_regular(rows: Sequence[Line]) -> bool:
    """Return whether a table stands amid text that was cut into cells: its rows are as wide as each other."""
    is_even = len(rows) >= w.SPLIT_PROSE_FEW and _evenness(rows) >= w.SPLIT_PROSE_EVEN
    return is_even and _going_on(rows) < w.SPLIT_PROSE_SHARE


def _is_wordy(rows: Sequence[Line]) -> bool:
    """Return whether a few rows amid text hold parts of sentences themselves."""
    if len(rows) > w.PROSE_ROWS or all(line.is_lone for line in rows):
        return False
    return _words(rows) >= w.PHRASE_WORDS or _going_on(rows) >= w.SPLIT_PROSE_SHARE


def _words(rows: Sequence[Line]) -> float:
    """Return how many words a cell of text has on average."""
    words = [len(value.split()) for line in rows for value in _filled(line) if isinstance(value, str)]
    return sum(words) / max(len(words), 1)


def _is_prose(draft: Draft, lines: Sequence[Line]) -> bool:
    header = [lines[i] for i in draft.headers]
    rows = header + [lines[i] for i in draft.data]
    if all(line.is_lone for line in rows):
        return _is_text_column(header, rows, lines)
    if max(line.filled for line in rows) <= 2:
        return _is_labelled_text(header, rows)
    return _is_split_text(rows)


def _is_text_column(header: Sequence[Line], rows: Sequence[Line], lines: Sequence[Line]) -> bool:
    """Return whether single cells below each other are text and no list."""
    if header and all(_is_name_of_column(line.label) for line in header):
        return False
    return _share(rows) >= w.PROSE_LIST or _share(lines) >= w.PROSE_LINES


def _is_name_of_column(text: str) -> bool:
    is_short = len(text.split()) <= w.NAME_WORDS and not is_running(text)
    return is_short and is_header_word(text) and not is_note_text(text)


def _is_labelled_text(header: Sequence[Line], rows: Sequence[Line]) -> bool:
    """Return whether two columns are signs or short labels with a text each, and nothing names the columns."""
    if any(not line.is_lone and not _is_label_and_text(line) for line in header):
        return False
    pairs = [line for line in rows if not line.is_lone]
    texts = sum(_is_label_and_text(line) or _is_running_line(line) for line in rows)
    signs = sum(_is_sign(line.values[line.first]) for line in pairs)
    if signs >= w.PROSE_SIGNS * len(pairs):
        return texts >= w.PROSE_NUMBERED * len(rows)
    return texts >= w.PROSE_PAIRS * len(rows) and len(rows) <= w.PROSE_LABELS


def _is_label_and_text(line: Line) -> bool:
    """Return whether a short label or a sign stands beside running text."""
    if line.is_lone or line.kinds[line.first] in (LONG, DATE, FLAG):
        return False
    label, text = _filled(line)
    if line.kinds[line.first] == CODE and not _is_sign(label):
        return False
    return not is_running(str(label)) and isinstance(text, str) and is_running(text)


def _is_sign(value: Value) -> bool:
    """Return whether a cell numbers or marks a paragraph: 1, 2.3, (a), •, Step 4, Note:."""
    return _SIGN.fullmatch(str(value).strip().removesuffix(".0")) is not None


def _is_split_text(rows: Sequence[Line]) -> bool:
    """Return whether sentences were cut at their commas or spaces: rows of any length that go on from cell to cell."""
    if _begins_with_values(rows):
        return False
    evenness, going_on = _evenness(rows), _going_on(rows)
    if len(rows) >= w.SPLIT_PROSE_ROWS and evenness <= w.SPLIT_PROSE_RAGGED:
        return going_on >= w.SPLIT_PROSE_LEAST and _is_punctuated(rows)
    is_cut = evenness <= w.SPLIT_PROSE_USUAL or len(rows) < w.SPLIT_PROSE_FEW
    is_text = (is_cut and _words(rows) > w.SPLIT_PROSE_WORDS) or _ends_in_stops(rows)
    return is_text and going_on >= w.SPLIT_PROSE_SHARE and _is_without_holes(rows)


def _begins_with_values(rows: Sequence[Line]) -> bool:
    """Return whether numbers, dates or codes name the rows: a record begins so, a sentence seldom does."""
    wide = [line for line in rows if not line.is_lone]
    return sum(line.kinds[line.first] in VALUES for line in wide) >= w.SPLIT_PROSE_VALUES * max(len(wide), 1)


def _is_without_holes(rows: Sequence[Line]) -> bool:
    """Return whether nearly no cell is blank between others: a record may lack a value, a sentence has no such gap."""
    holes = sum(EMPTY in line.kinds[line.first : line.first + line.filled] for line in rows)
    return holes <= w.SPLIT_PROSE_HOLES * len(rows)


def _evenness(rows: Sequence[Line]) -> float:
    """Return which share of the rows has the most frequent number of cells."""
    return Counter(line.filled for line in rows).most_common(1)[0][1] / len(rows)


def _ends_in_stops(rows: Sequence[Line]) -> bool:
    """Return whether rows end as sentences do, and no cell within them."""
    ends = sum(str(_filled(line)[-1]).rstrip().endswith(_STOPS) for line in rows)
    stops = sum(str(value).rstrip().endswith(_STOPS) for line in rows for value in _filled(line))
    return ends >= w.SPLIT_PROSE_SHARE * len(rows) and stops <= w.SPLIT_PROSE_STOPS * ends


def _is_punctuated(rows: Sequence[Line]) -> bool:
    """Return whether words carry the marks of sentences, as they do where text was cut at its spaces."""
    ends = [str(value).rstrip()[-1:] for line in rows for value in _filled(line)]
    return sum(end in _MARKS for end in ends) >= w.SPLIT_PROSE_MARKS * len(ends)


def _going_on(rows: Sequence[Line]) -> float:
    """Return which share of the cells, the first of each row left out, continues a sentence in small letters."""
    cells = going_on = 0
    for line in rows:
        for value, kind in zip(line.values[line.first + 1 :], line.kinds[line.first + 1 :], strict=True):
            cells += kind != EMPTY
            going_on += kind in TEXTUAL and str(value).lstrip()[:1].islower()
    return going_on / max(cells, 1)


def _filled(line: Line) -> list[Value]:
    return [value for value, kind in zip(line.values, line.kinds, strict=True) if kind != EMPTY]


def _share(lines: Sequence[Line]) -> float:
    """Return which share of single cells is running text."""
    return sum(map(_is_running_line, lines)) / len(lines)


def _is_running_line(line: Line) -> bool:
    if not line.is_lone or line.kinds[line.first] not in _MAY_RUN:
        return False
    return is_running(line.label) or (line.label[:1].islower() and _is_phrase(line.label.split()))


def is_running(text: str) -> bool:
    """Return whether a text is a sentence, a long phrase, or an item of an enumeration."""
    text = text.strip()
    words = text.split()
    if len(words) < 2:
        return len(text) >= w.SENTENCE_LETTERS and not text.isascii() and text.endswith((*_STOPS, *_GOES_ON))
    if len(text) > LONG_LENGTH or text.endswith(_GOES_ON) or _HEADING.match(text):
        return True
    if not _is_phrase(words):
        return False
    is_long = len(words) >= w.RUNNING_WORDS and _small(words) >= w.SMALL_RUNNING
    return is_long or text.endswith(_STOPS) or _ITEM.match(text) is not None


def _is_phrase(words: Sequence[str]) -> bool:
    """Return whether several words are more than a name: names are written in capitals where a script has them."""
    return len(words) >= w.PHRASE_WORDS and _small(words) > w.SMALL_WORDS


def _small(words: Sequence[str]) -> float:
    """Return which share of the words but the first begins with a small letter, or a letter without case."""
    return sum(word[0].isalpha() and not word[0].isupper() for word in words[1:]) / len(words[1:])
