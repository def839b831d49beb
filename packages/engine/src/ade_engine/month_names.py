"""The names of months in ten languages, in full and shortened, with and without accents."""

from __future__ import annotations

import re
from functools import cache
from unicodedata import combining, normalize

_NAMES = """
    january february march april may june july august september october november december
    januar februar märz april mai juni juli august september oktober november dezember
    jänner feber maerz april mai juni juli august september oktober november dezember
    janvier février mars avril mai juin juillet août septembre octobre novembre décembre
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
    janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
    januari februari maart april mei juni juli augustus september oktober november december
    januar februar marts april maj juni juli august september oktober november december
    januari februari mars april maj juni juli augusti september oktober november december
    stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
"""
_ALSO = {"mrz": 3, "mrt": 3}


_WORD = re.compile(r"[^\W\d_]{3,}\.?")


def in_english(text: str, form: str) -> str:
    """Return a text with English names of months in the place of others, as a format has them.

    A name may be shortened to three or four letters, with or without a point. Letters that begin the names of
    different months, such as "jui", stay.
    """
    english, length = _NAMES.split(), 3 if "%b" in form else None
    point = "." if "%b." in form or "%B." in form else ""

    def name(found: re.Match[str]) -> str:
        number = _numbers().get(found.group().rstrip(".").casefold())
        if number is None:
            return found.group()
        return english[number - 1][:length] + (point if found.group().endswith(".") else "")

    return _WORD.sub(name, text)


@cache
def _numbers() -> dict[str, int]:
    found: dict[str, set[int]] = {}
    for place, name in enumerate(_NAMES.split()):
        for spelling in (name, "".join(letter for letter in normalize("NFD", name) if not combining(letter))):
            for short in (spelling, spelling[:3], spelling[:4]):
                found.setdefault(short, set()).add(place % 12 + 1)
    return {word: min(numbers) for word, numbers in found.items() if len(numbers) == 1} | _ALSO
