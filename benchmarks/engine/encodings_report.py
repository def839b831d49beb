"""How often a text is decoded as it was written: ours, chardet and charset-normalizer, on the same bytes.

bin/bench engine/encodings_report           the tables
bin/bench engine/encodings_report --wrong   each text that ours decodes in another way
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import chardet
import charset_normalizer
from encoded import Encoded, encoded_texts

from ade_engine.errors import InputError
from ade_engine.readers.encodings import find_decoding

Decode = Callable[[bytes], str | None]


def report_encodings() -> list[str]:
    """Print the tables and return their lines."""
    texts = list(encoded_texts())
    lines = ["", "## Encodings", "", *_table(texts, "text", lambda one: one.kind)]
    lines += ["", *_table(texts, "languages", lambda one: one.group)]
    print("\n".join(lines))
    return lines


def _table(texts: list[Encoded], title: str, group: Callable[[Encoded], str]) -> list[str]:
    right: Counter[tuple[str, str]] = Counter()
    for one in texts:
        for name, decode in LIBRARIES.items():
            right[group(one), name] += decode(one.data) == one.text
        is_right, is_doubted = ours(one.data) == one.text, _is_doubted(one.data)
        right[group(one), "doubted"] += is_right and is_doubted
        right[group(one), "silent"] += not is_right and not is_doubted
    counts = Counter(map(group, texts))
    head = [
        f"| {title} | texts | ours | chardet | charset-normalizer | ours right, with an issue | wrong without one |"
    ]
    rows = [_row(name, count, right, [name]) for name, count in counts.items()]
    return [*head, "| --- " + "| ---: " * 6 + "|", *rows, _row("all", len(texts), right, list(counts))]


def _row(name: str, count: int, right: Counter[tuple[str, str]], groups: Iterable[str]) -> str:
    keys = (*LIBRARIES, "doubted", "silent")
    cells = [sum(right[group, key] for group in groups) for key in keys]
    return f"| {name} | {count} | " + " | ".join(map(str, cells)) + " |"


def ours(data: bytes) -> str | None:
    """Decode as the engine does."""
    with _on_disk(data) as path:
        try:
            found = find_decoding(path)
        except InputError:
            return None
    return data.decode(found.encoding, found.errors)


def _is_doubted(data: bytes) -> bool:
    with _on_disk(data) as path:
        try:
            return any(find_decoding(path).findings())
        except InputError:
            return True


def by_chardet(data: bytes) -> str | None:
    """Decode as chardet says."""
    return _decoded(data, chardet.detect(data, compat_names=False)["encoding"])


def by_charset_normalizer(data: bytes) -> str | None:
    """Decode as charset-normalizer says."""
    best = charset_normalizer.from_bytes(data).best()
    return _decoded(data, best.encoding if best else None)


LIBRARIES: dict[str, Decode] = {"ours": ours, "chardet": by_chardet, "charset-normalizer": by_charset_normalizer}


def _decoded(data: bytes, encoding: str | None) -> str | None:
    try:
        return data.decode(encoding or "ascii")
    except (UnicodeDecodeError, LookupError):
        return None


@contextmanager
def _on_disk(data: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.csv"
        path.write_bytes(data)
        yield path


def main() -> None:
    """Print the tables, or what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wrong", action="store_true")
    if not parser.parse_args().wrong:
        report_encodings()
        return
    for one in encoded_texts():
        if ours(one.data) != one.text:
            doubt = "with an issue" if _is_doubted(one.data) else "SILENT"
            print(f"{one.group}, {one.kind}, written in {one.encoding}: {doubt}")


if __name__ == "__main__":
    main()
