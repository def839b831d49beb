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
            "ąćęłńóśźż",  # Polish
            "áčďéěíňóřšťúůýž",  # Czech
            "áäčďéíĺľňóôŕšťúýž",  # Slovak
            "áéíóöőúüű",  # Hungarian
            "ăâîșțşţ",  # Romanian
            "čćđšž",  # Croatian, Bosnian, Serbian
            "čšž",  # Slovene
            "çğıöşüâîû\u0307",  # Turkish; the dot is what a lower case İ leaves
            "äõöüšž",  # Estonian
            "āčēģīķļņšūžōŗ",  # Latvian
            "ąčęėįšųūž",  # Lithuanian
            "ĉĝĥĵŝŭ",  # Esperanto
            "ċġħżàèìòù",  # Maltese
            "ăâđêôơưàáãèéìíòóõùúýạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",  # Vietnamese
        ),
    )
)
_LATIN = re.compile(r"[\xaa\xba\xc0-\xd6\xd8-\xf6\xf8-\u024f\u0307\u1e00-\u1eff]")


def foreign_share(text: str) -> float:
    """Return which share of the accented Latin letters lies outside of the alphabet that fits the text best."""
    letters = Counter(_LATIN.findall(text.lower()))
    count = letters.total()
    if not count:
        return 0.0
    return 1 - max(sum(letters[letter] for letter in letters.keys() & known) for known in _ALPHABETS) / count
