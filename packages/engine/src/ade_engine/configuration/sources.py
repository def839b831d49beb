"""Reads [[source]] sections: settings and aliases for the documents of one sender."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from ade_engine.configuration.problems import did_you_mean
from ade_engine.configuration.settings_shape import Path, Wrong
from ade_engine.records import record

SELECTORS = ("document", "sheet", "contains")
OF_TABLES = ("mapping", "rows", "tables", "unpivot")  # sections that may differ from table to table
OF_DOCUMENTS = ("csv", "output", "rules", "sheets", "verdict")


@record(kw_only=True)
class Source:
    """Which documents or tables it is for, and what holds for them. `settings` are those of the whole configuration."""

    document: str | None = None
    sheet: str | None = None
    contains: str | None = None
    aliases: Mapping[str, tuple[str, ...]]
    settings: Any  # Settings: that one holds the sources

    @property
    def is_of_documents(self) -> bool:
        """Return whether it is selected by the document's name alone."""
        return self.sheet is None and self.contains is None

    def matches(self, document: str, sheet: str | None, texts: Sequence[str]) -> bool:
        """Return whether it is for a table: by the names of document and sheet, and a text in or above its header."""
        return (
            _fits(self.document, document)
            and _fits(self.sheet, sheet or "")
            and (self.contains is None or any(self.contains.casefold() in text.casefold() for text in texts))
        )


def _fits(pattern: str | None, name: str) -> bool:
    return pattern is None or fnmatchcase(name.casefold(), pattern.casefold())


def sources_of(content: Mapping[str, Any], settings_of: Callable[[dict[str, Any]], Any]) -> tuple[Source, ...]:
    """Return the valid [[source]] sections of settings, each with the settings that hold for it."""
    common = {key: value for key, value in content.items() if key != "source"}
    return tuple(
        Source(
            **{name: found.get(name) for name in SELECTORS},
            aliases={field: tuple(aliases) for field, aliases in found.get("aliases", {}).items()},
            settings=settings_of(_merged(common, found)),
        )
        for found in content.get("source", ())
    )


def _merged(common: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    tables = {name: own[name] for name in (*OF_TABLES, *OF_DOCUMENTS) if name in own}
    # [unpivot] is one thing, so it is replaced as a whole.
    kept = {name: {} if name == "unpivot" else common.get(name, {}) for name in tables}
    return {**common, **{name: {**kept[name], **keys} for name, keys in tables.items()}}


def wrong_sources(sections: Any, wrong_settings: Callable[[dict[str, Any]], Iterator[Wrong]]) -> Iterator[Wrong]:
    """Yield what is wrong with [[source]] sections; `wrong_settings` judges the settings inside."""
    if not isinstance(sections, list) or not all(isinstance(section, dict) for section in sections):
        yield ("source",), "bad-setting", "source must be written as [[source]]", None
        return
    for number, section in enumerate(sections):
        path: Path = ("source", number)
        if not any(name in section for name in SELECTORS):
            advice = 'Write document = "customers_de*", sheet = "..." or contains = "...".'
            yield path, "bad-setting", "source needs document, sheet or contains", advice
        yield from _wrong_keys(path, section)
        inner = {name: keys for name, keys in section.items() if name in (*OF_TABLES, *OF_DOCUMENTS)}
        for place, code, message, suggestion in wrong_settings(inner):
            yield (*path, *place), code, message, suggestion


def _wrong_keys(path: Path, section: Mapping[str, Any]) -> Iterator[Wrong]:
    known = (*SELECTORS, "aliases", *OF_TABLES, *OF_DOCUMENTS)
    is_of_tables = "sheet" in section or "contains" in section
    for key, value in section.items():
        if key not in known:
            yield (*path, key), "unknown-setting", f"there is no setting source.{key}", did_you_mean(key, known)
        elif key in SELECTORS and not (isinstance(value, str) and value):
            yield (*path, key), "bad-setting", f"source.{key} must be a text", None
        elif key == "aliases" and not _are_aliases(value):
            yield (*path, key), "bad-setting", "source.aliases must be {field = [headers]}", None
        elif key in OF_DOCUMENTS and is_of_tables:
            advice = "Select it by document alone."
            yield (*path, key), "bad-setting", f"source.{key} applies to whole documents, not to tables", advice


def _are_aliases(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(headers, list) and all(isinstance(header, str) and header.strip() for header in headers)
        for headers in value.values()
    )
