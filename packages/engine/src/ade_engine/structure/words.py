"""Words that give a row away: totals, notes, and the usual names of columns, in several languages."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Final

_TOTALS: Final = (
    "total", "totals", "subtotal", "sub-total", "sub total", "grand total", "sum", "overall total", "total result",
    "summe", "gesamt", "gesamtsumme", "gesamtergebnis", "ergebnis", "insgesamt", "zwischensumme", "total général",
    "sous-total", "totaux", "somme", "totale", "subtotale", "somma", "totales", "suma", "suma końcowa", "soma",
    "totaal", "subtotaal", "eindtotaal", "celkem", "součet", "razem", "ogółem", "итого", "общий итог", "итог", "всего",
    "összesen", "végösszeg", "summa", "yhteensä", "i alt", "totalt", "toplam", "genel toplam",
    "合計", "総計", "小計", "总计", "合计", "小计", "합계", "총계",
)  # fmt: skip
_AVERAGES: Final = (
    "average", "avg", "mean", "median", "durchschnitt", "mittelwert", "moyenne", "promedio", "media", "gemiddelde",
    "průměr", "średnia", "среднее",
)  # fmt: skip
_STATISTICS: Final = frozenset({
    "min", "max", "minimum", "maximum", "std", "stdev", "std dev", "std. dev", "standard deviation", "variance",
    "share", "median", "count", "range", "percent", "percentage", "anteil", "standardabweichung", "mediana",
    "écart type", "desviación estándar", "deviazione standard", "mínimo", "máximo", "minimo", "massimo",
})  # fmt: skip
_NOTES: Final = (
    "note", "notes", "source", "sources", "footnote", "remark", "remarks", "legend", "prepared by", "disclaimer",
    "copyright", "last updated", "updated", "data source", "see also", "please note", "includes", "excludes",
    "quelle", "quellen", "anmerkung", "anmerkungen", "hinweis", "fußnote", "stand", "nota", "notas", "fuente",
    "fuentes", "fonte", "fonti", "remarque", "poznámka", "zdroj", "uwaga", "źródło", "примечание", "источник",
    "bron", "kilde", "källa", "注", "注記", "資料", "出典", "说明", "来源", "자료", "주",
)  # fmt: skip
_HEADERS: Final = frozenset({
    "name", "names", "id", "no", "nr", "#", "code", "date", "time", "year", "month", "day", "type", "category",
    "description", "title", "status", "country", "city", "state", "region", "address", "street", "zip", "email",
    "e-mail", "phone", "fax", "telephone", "amount", "price", "quantity", "qty", "unit", "units", "value", "values",
    "count", "number", "rank", "score", "first", "last", "gender", "age", "sex", "notes", "comment", "comments",
    "remarks", "department", "company", "customer", "product", "item", "sku", "account", "currency", "rate",
    "percent", "%", "share", "average", "mean", "min", "max", "from", "to", "start", "end", "nom", "prénom", "adresse",
    "ville", "pays", "vorname", "nachname", "datum", "ort", "straße", "land", "menge", "preis", "betrag", "anzahl",
    "bezeichnung", "beschreibung", "nombre", "apellido", "fecha", "ciudad", "dirección", "cantidad", "precio", "codice",
    "nome", "cognome", "data", "indirizzo", "città", "prezzo", "quantità", "naam", "kód", "název", "rok", "cena",
    "дата", "имя", "название", "код", "номер", "адрес", "цена",
})  # fmt: skip


# How the words of totals begin, to rule out most texts at a glance: two letters where a script needs no more.
_LETTERS: Final = 3
_BEGINNINGS: Final = frozenset(
    word.split()[0][: _LETTERS if word.isascii() or len(word) > _LETTERS else 2]
    for word in (*_TOTALS, *_AVERAGES, "summary", "overall", "all")
)
_WORD = re.compile(r"[\w#%-]+")
_FOOTER = re.compile(
    r"(?:page\s+\d|\d+\s*(?:of|/)\s*\d+$|[a-z]:\\|\\\\\w|file(?:name)?\s*:|printed|run date|prepared|approved|as of\b)",
    re.IGNORECASE,
)
_LABEL_LENGTH: Final = 60
_SIGN_LENGTH: Final = 3
_NAME_LENGTH: Final = 2
_STARS: Final = frozenset({"*", "**", "***", "†", "‡", "§"})
_SIGNS: Final = string.punctuation + "\u2013\u2014•·"


def hints_at_total(text: str) -> bool:
    """Return whether a text is the label of a total, fast for all that are not."""
    for word in text.lower().split():
        start = word if word[0].isalnum() else word.lstrip(_SIGNS)
        if start[:_LETTERS] in _BEGINNINGS or start[:2] in _BEGINNINGS:
            return is_total_label(text)
    return False


def any_hints_at_total(texts: Iterable[str]) -> bool:
    """Return whether one of many texts may be the label of a total; a yes may be a false alarm."""
    return _word_of_total().search("\n".join(texts).lower()) is not None


@lru_cache(maxsize=16384)
def is_total_label(text: str) -> bool:
    """Return whether a label announces a total. Longer texts are prose."""
    return len(text) <= _LABEL_LENGTH and _total().match(text.strip()) is not None


@lru_cache(maxsize=4096)
def is_total_alone(text: str) -> bool:
    """Return whether a label says "total" and nothing else: "Total Oil Ltd" may well be a record."""
    return _total_alone().fullmatch(text.strip()) is not None


def without_name(text: str, name: str) -> str | None:
    """Return a label without the name of a group, or None when the name is not in it: "Sales total" for "Sales"."""
    if len(name) < _NAME_LENGTH or name not in text or name == text:
        return None
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    return (text[: found.start()] + text[found.end() :]).strip() if found else None


def is_statistic(text: str) -> bool:
    """Return whether a label names a measure of a column, as rows below a total do."""
    return text.strip(_SIGNS + " ").casefold() in _STATISTICS


def is_measure(text: str) -> bool:
    """Return whether a label names a measure that is no sum, as an average."""
    return is_statistic(text) or text.strip(_SIGNS + " ").casefold().startswith(_AVERAGES)


@lru_cache(maxsize=4096)
def is_note_text(text: str) -> bool:
    """Return whether a text begins as notes and sources do."""
    return _note().match(text.strip()[:80]) is not None


def is_footnote_sign(text: str) -> bool:
    """Return whether a text is what a footnote is referred to by: 1, b), (c), **."""
    bare = text.strip().strip("().[]:")
    return len(bare) <= _SIGN_LENGTH and (bare.isdecimal() or (bare.isalpha() and len(bare) == 1) or bare in _STARS)


def is_page_footer(text: str) -> bool:
    """Return whether a text is what printers put at the foot of a page: "Page 1 of 3", a path, a date of printing."""
    return _FOOTER.match(text) is not None


def is_page_number(text: str) -> bool:
    """Return whether a text is the number of a page alone: "Page 2", "- 2 -", "Seite 2 von 3"."""
    return _page_number().fullmatch(text.strip(" -")) is not None


@cache
def _page_number() -> re.Pattern[str]:
    words = "page|p|seite|s|blatt|pagina|página|pág|pag|bladzijde|blz|side|sida|strona|strana|str|oldal|sayfa"
    return re.compile(rf"(?:(?:{words})\b\.?\s*)?\d+(?:\s*(?:/|of|von|de|di|van|av|af|z|sur)\s*\d+)?", re.IGNORECASE)


@lru_cache(maxsize=16384)
def is_header_word(text: str) -> bool:
    """Return whether a text contains a usual column name."""
    return any(word in _HEADERS for word in _WORD.findall(text.casefold()[:40]))


# The longer patterns are built when first needed: a run should not wait for words it never meets.
@cache
def _word_of_total() -> re.Pattern[str]:
    return re.compile(rf"(?<!\S)[{re.escape(_SIGNS)}]*+{_any_of(_BEGINNINGS)}")


@cache
def _total() -> re.Pattern[str]:
    return re.compile(
        rf"\W*{_any_of(_TOTALS)}\b"
        rf"|\W*{_any_of(_AVERAGES)}\W*\d?\W*$"
        r"|(?:\w+\W+){1,4}(?:totals?|sub-?totals?|summary|insgesamt|gesamt|totale|celkem)\W*$",
        re.IGNORECASE,
    )


@cache
def _total_alone() -> re.Pattern[str]:
    return re.compile(rf"\W*(?:(?:grand|overall|sub|all)\W*)?{_any_of((*_TOTALS, *_AVERAGES))}[\W\d]*", re.IGNORECASE)


@cache
def _note() -> re.Pattern[str]:
    return re.compile(
        rf"\W*{_any_of(_NOTES)}\b(?!\s*(?:#|no\b|nr\b))"
        r"|\*{1,3}\s*\S|[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,2}\s*\S"
        r"|[†‡§©]|\(?(?:[a-z]|\d{1,2})\)\s*\S|\d\s[A-Z][a-z]+\s|[A-Z]{1,2}:\s",
        re.IGNORECASE,
    )


def _any_of(words: Iterable[str]) -> str:
    """Return a pattern that takes the longest word that fits."""
    return "(?:" + "|".join(map(re.escape, sorted(words, key=len, reverse=True))) + ")"
