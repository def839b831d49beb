"""The letters beyond A to Z that languages in the Latin script use, and how well a text keeps to those of one of them.

A text decoded in the wrong encoding mixes letters that no language uses together.
"""

from __future__ import annotations

import re
from collections import Counter

_ALPHABETS = tuple(
    map(
        frozenset,
        (
            "äöüß",  # German
            "àâæçéèêëîïôœùûüÿ",  # French
            "áéíñóúüªº",  # Spanish
            "áâãàçéêíóôõúüªº",  # Portuguese
            "àèéìíîòóùúªº",  # Italian
            "áéëèêïíóöü",  # Dutch
            "åäöéáàü",  # Swedish
            "æøåéäöü",  # Danish, Norwegian
            "åäöšž",  # Finnish
            "áðéíóúýþæö",  # Icelandic
            "áæðíóøúý",  # Faroese
            "ëç",  # Albanian
            "àçèéíïòóúü",  # Catalan
            "áéíóú",  # Irish
            "àâäéèêëîïôöûüŵŷẁẃỳÿ",  # Welsh
            "áèéêëîïôöúû",  # Afrikaans
            "âäêëéïîôûúü",  # Frisian
            "äéëèêôöûü",  # Luxembourgish
            "êñùüéèâôîûà",  # Breton
            "ñçüáéíóú",  # Basque, Galician, Asturian
            "æøåéèêòóôàäöü",  # Norwegian
            "ąćęłńóśźż",  # Polish
            "áčďéěíňóřšťúůýž",  # Czech
            "áäčďéíĺľňóôŕšťúýž",  # Slovak
            "áéíóöőúüű",  # Hungarian
            "ăâîșțşţ",  # Romanian
            "čćđšž",  # Croatian, Bosnian, Serbian
            "čšž",  # Slovene
            "čćěłńóřšźžŕśáéäöü",  # Sorbian
            "çğıöşüəâîû\u0307",  # Turkish, Azerbaijani; the dot is what a lower case İ leaves
            "äõöüšž",  # Estonian
            "āčēģīķļņšūžōŗ",  # Latvian
            "ąčęėįšųūž",  # Lithuanian
            "ĉĝĥĵŝŭ",  # Esperanto
            "ċġħżàèìòù",  # Maltese
            "ăâđêôơưàáãèéìíòóõùúýạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",  # Vietnamese
        ),
    )
)
# Letters that no longer text in their language does without. One of them alone, again and again, is another language's.
_FREQUENT = tuple(
    map(
        frozenset,
        ("ąčėšųž", "āčēīņšūž", "æøå", "áðéíóþ", "æðóøú", "éèàç", "ąęłóśż", "áéíěřšž", "ăâîşţșț", "áéőöü", "çğış"),
    )
)
_LONGER = 12
_LATIN = re.compile(r"[\xaa\xba\xc0-\xd6\xd8-\xf6\xf8-\u024f\u0307\u1e00-\u1eff]")


def foreign_share(text: str) -> float:
    """Return which share of the accented Latin letters lies outside of the alphabet that fits the text best."""
    letters = Counter(_LATIN.findall(text.lower()))
    count = letters.total()
    if not count:
        return 0.0
    return 1 - max(_known_count(letters, known) for known in _ALPHABETS) / count


def _known_count(letters: Counter[str], known: frozenset[str]) -> float:
    """Return how many letters are of an alphabet; fewer count when its frequent ones are missing in a longer text."""
    count = sum(letters[letter] for letter in letters.keys() & known)
    frequent = next((some for some in _FREQUENT if some <= known), None)
    if frequent is None or count < _LONGER:
        return count
    return count * min(1.0, 2 * len(letters.keys() & frequent) / len(frequent))
