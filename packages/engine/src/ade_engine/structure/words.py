"""Words that give a row away: totals, notes, and the usual names of columns, in several languages."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_TOTALS: Final = (
    "total", "totals", "subtotal", "sub-total", "sub total", "grand total", "sum", "overall total", "all total",
    "summe", "gesamt", "gesamtsumme", "insgesamt", "zwischensumme", "total général", "sous-total", "totaux", "somme",
    "totale", "subtotale", "somma", "totales", "suma", "soma", "totaal", "subtotaal", "celkem", "součet", "razem",
    "ogółem", "итого", "общий итог", "итог", "всего", "ergebnis", "gesamtergebnis", "végösszeg", "eindtotaal", "suma końcowa", "total result", "összesen", "summa", "yhteensä", "i alt", "totalt", "toplam", "genel toplam",
    "合計", "総計", "小計", "总计", "合计", "小计", "합계", "총계",
)  # fmt: skip
_TOTAL = re.compile(
    r"\W*(?:" + "|".join(map(re.escape, sorted(_TOTALS, key=len, reverse=True))) + r")\b"
    r"|\W*(?:average|avg|mean|median|durchschnitt|mittelwert|moyenne|promedio|media|gemiddelde|průměr|średnia|среднее)"
    r"\W*\d?\W*$"
    r"|(?:[\w.&/-]+\W+){1,3}(?:totals?|sub-?totals?|summary|insgesamt|gesamt|totale|celkem)\W*$",
    re.IGNORECASE,
)

_ALONE = re.compile(
    r"\W*(?:(?:grand|overall|sub|all)\W*)?(?:" + "|".join(map(re.escape, sorted(_TOTALS, key=len, reverse=True)))
    + r"|average|avg|mean|median)[\W\d]*",
    re.IGNORECASE,
)  # fmt: skip

_NOTES: Final = (
    "note", "notes", "source", "sources", "footnote", "remark", "remarks", "legend", "prepared by", "disclaimer",
    "copyright", "last updated", "updated", "data source", "see also", "please note", "includes", "excludes",
    "quelle", "quellen", "anmerkung", "anmerkungen", "hinweis", "fußnote", "stand", "nota", "notas", "fuente",
    "fuentes", "fonte", "fonti", "remarque", "poznámka", "zdroj", "uwaga", "źródło", "примечание", "источник",
    "bron", "kilde", "källa", "注", "注記", "資料", "出典", "说明", "来源", "자료", "주",
)  # fmt: skip
_NOTE = re.compile(
    r"\W*(?:" + "|".join(map(re.escape, sorted(_NOTES, key=len, reverse=True))) + r")\b(?!\s*(?:#|no\b|nr\b))"
    r"|\*{1,3}\s*\S|[†‡§©]|\(?(?:[a-z]|\d{1,2})\)\s*\S|\d\s[A-Z][a-z]+\s|[A-Z]{1,2}:\s",
    re.IGNORECASE,
)

_HEADERS: Final = frozenset(
    "name names id no nr # code date time year month day type category description title status country city state "
    "region address street zip email e-mail phone fax telephone amount price quantity qty unit units value values count "
    "number rank score first last gender age sex notes comments remarks department company customer product item sku "
    "account currency rate percent % share average mean min max from to start end nom prénom date adresse ville pays "
    "vorname nachname datum ort straße land menge preis betrag anzahl bezeichnung beschreibung nombre apellido fecha "
    "ciudad dirección cantidad precio codice nome cognome data indirizzo città prezzo quantità naam kód název rok cena "
    "дата имя название код номер адрес цена".split()
)
_WORD = re.compile(r"[\w#%-]+")


_HINT = re.compile(
    "tot|sum|som|ergebnis|végö|gesamt|celkem|součet|razem|ogół|итог|всего|összes|yhteens|i alt|topla|av|me|durch|mitte|moy|gemid|prům|średn|средн|計|总|合|小|합|총",
    re.IGNORECASE,
)


def hints_at_total(text: str) -> bool:
    """Tell, fast, whether a text may be the label of a total; `is_total_label` makes sure."""
    return _HINT.search(text) is not None and is_total_label(text)


@lru_cache(maxsize=16384)
def is_total_label(text: str) -> bool:
    """Tell whether a label announces a total."""
    return len(text) <= 60 and _TOTAL.match(text.strip()) is not None  # noqa: PLR2004 - longer is prose


@lru_cache(maxsize=4096)
def is_total_alone(text: str) -> bool:
    """Tell whether a label says "total" and nothing else: "Total Oil Ltd" may well be a record."""
    return _ALONE.fullmatch(text.strip()) is not None


@lru_cache(maxsize=4096)
def is_note_text(text: str) -> bool:
    """Tell whether a text begins as notes and sources do."""
    return _NOTE.match(text.strip()[:80]) is not None


@lru_cache(maxsize=16384)
def is_header_word(text: str) -> bool:
    """Tell whether a text contains a usual column name."""
    return any(word in _HEADERS for word in _WORD.findall(text.casefold()[:40]))
