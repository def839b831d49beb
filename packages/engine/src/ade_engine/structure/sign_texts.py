"""The signs of what a line says: words, lengths, units, series."""

from __future__ import annotations

from ade_engine.structure.grid import Line
from ade_engine.structure.kinds import LONG, TEXT
from ade_engine.structure.preamble import is_caption
from ade_engine.structure.series import is_series, is_units
from ade_engine.structure.words import (
    hints_at_total,
    is_header_word,
    is_note_text,
    is_page_footer,
    is_statistic,
    is_total_alone,
)

_SHORT, _LONG = 14, 30


def text_signs(line: Line) -> list[str]:
    """Return the signs of a line's texts."""
    texts = [str(value).strip() for value, kind in zip(line.values, line.kinds, strict=True) if kind in (TEXT, LONG)]
    found = _all_texts(line, texts) if texts else []
    label = line.label
    named = {
        "colon": label.strip().endswith(":"),
        "caption": is_caption(line),
        "note_word": is_note_text(label),
        "statistic": is_statistic(label),
        "page_footer": is_page_footer(label.strip()),
        "units": is_units(line),
        "series": is_series(line),
    }
    found += [name for name, is_so in named.items() if is_so]
    if hints_at_total(label):
        found.append("total_alone" if is_total_alone(label) else "total_word")
    return found


def _all_texts(line: Line, texts: list[str]) -> list[str]:
    length = sum(map(len, texts)) / len(texts)
    found = ["short_texts" if length <= _SHORT else "long_texts" if length > _LONG else "middling_texts"]
    words = sum(map(is_header_word, texts)) / len(texts)
    if words:
        found.append("many_header_words" if words >= 0.5 else "header_word")
    if not line.is_spread:
        found.append("distinct" if len(set(texts)) == len(texts) else "repeated_texts")
    if all(text.isupper() for text in texts):
        found.append("capitals")
    if texts[0][:1].islower():
        found.append("small_letter")
    return found
