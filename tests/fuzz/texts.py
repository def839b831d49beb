"""Makes texts that a stranger might send: parts that repeat, samples that are damaged, and plain noise."""

from collections.abc import Iterator
from random import Random

from fuzz.surface import Fed

_NOISE = (
    "\0",
    "\n",
    "\r",
    "\u2028",
    " ",
    "\t",
    "é",
    "\U0001f600",
    "%",
    "$",
    "\\",
    '"',
    "'",
    "/",
    "<",
    "(",
    "9",
    "a",
    "-",
    ".",
)
_SHORT = 200  # enough for a pattern whose time doubles with every repetition
_ENDS = ("", "$", "\0", "!", "\n", "-e .")


def texts(entry: Fed, random: Random, count: int) -> Iterator[str]:
    """Yield the samples, each part repeated, and then as many texts of each kind; none is longer than is read."""
    yield from entry.samples
    pieces = _pieces(entry.samples)
    tokens = (*entry.tokens, *pieces)
    for token in entry.tokens or pieces:
        for begin in ("", "a", random.choice(entry.samples)):
            yield f"{begin}{token * (_SHORT // len(token))}$"[: entry.longest]
    for token in entry.tokens:
        yield f"a{token * (entry.longest // len(token))}"[: entry.longest - 1] + "$"
    for _ in range(count):
        yield _pumped(random, tokens, entry)[: entry.longest]
        yield _damaged(random, random.choice(entry.samples))[: entry.longest]
        yield "".join(random.choices((*tokens, *_NOISE), k=random.choice((3, 30, 300))))[: entry.longest]


def _pieces(samples: tuple[str, ...]) -> tuple[str, ...]:
    """Return the characters of samples, and short runs of them: what a pattern looks for."""
    runs = {text[start : start + length] for text in samples for length in (1, 2, 4) for start in range(len(text))}
    return tuple(sorted(runs))


def _pumped(random: Random, tokens: tuple[str, ...], entry: Fed) -> str:
    """Return a beginning, a part that repeats, and an end that does not fit: what makes patterns backtrack."""
    words = tokens if random.random() < 0.8 else (*tokens, *_NOISE)
    begin = "".join(random.choices(words, k=random.randrange(3)))
    part = "".join(random.choices(words, k=random.choice((1, 1, 1, 2, 3)))) or "a"
    length = random.choice((40, 200, 900, 10_000, entry.longest))
    end = random.choice((*_ENDS, *words))
    return (
        f"{begin}{part * (1 + (min(length, entry.longest) - len(begin) - len(end)) // len(part))}"[: entry.longest]
        + end
    )


def _damaged(random: Random, sample: str) -> str:
    """Return a sample of which something was left out, repeated or replaced."""
    text = sample
    for _ in range(random.randrange(1, 4)):
        start = random.randrange(len(text) + 1)
        stop = min(len(text), start + random.randrange(1, 8))
        middle = random.choice(("", text[start:stop] * random.choice((2, 50, 500)), random.choice(_NOISE)))
        text = f"{text[:start]}{middle}{text[stop:]}"
    return text
