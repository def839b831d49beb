"""Reads the templates that settings name, and says what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ade_engine.configuration.files import data_files
from ade_engine.configuration.model import Configuration, Settings
from ade_engine.configuration.problems import Problem, did_you_mean
from ade_engine.configuration.settings import FILE, setting_line
from ade_engine.errors import ConfigurationError
from ade_engine.fields import Field
from ade_engine.mapping.headers import comparable

if TYPE_CHECKING:
    from ade_engine.templates.template import Template

_Place = tuple[str | int, ...]


def templates_of(folder: Path, settings: Settings, fields: Sequence[Field]) -> dict[str, Template]:
    """Return the templates of a configuration by file; raise ConfigurationError when one cannot be used."""
    read: dict[str, Template] = {}
    for place, own in _with_template(settings):
        file = str(own.template)
        try:
            if file not in read:
                read[file] = _read(folder, file, fields)
            _require_sheets(read[file], own)
        except ConfigurationError as error:
            line = setting_line(folder, *place)
            raise ConfigurationError(f"{FILE}, line {line}: {error}", file=FILE, line=line) from error
    return read


def template_warnings(folder: Path, configuration: Configuration) -> Iterator[Problem]:
    """Yield the fields that a template has no header for, and the headers that would stay without values."""
    for place, own in _with_template(configuration.settings):
        template = configuration.templates[str(own.template)]
        line = setting_line(folder, *place)
        for message, advice in _misfits(template, configuration.fields):
            yield Problem(FILE, line, "template", f"{template.file}: {message}", advice, "warning")


def _with_template(settings: Settings) -> Iterator[tuple[_Place, Settings]]:
    """Yield the settings with a template, those of [[source]] included, and where they name it."""
    place: _Place = ("output", "template")
    if settings.template is not None:
        yield place, settings
    for number, source in enumerate(settings.sources):
        if source.settings.template not in (None, settings.template):
            yield ("source", number, *place), source.settings


def _read(folder: Path, file: str, fields: Sequence[Field]) -> Template:
    from ade_engine.templates.template import read_template
    from ade_engine.templates.trial import require_fillable  # few configurations have one

    path = folder / file
    if path.suffix.lower() != ".xlsx" or not path.resolve().is_relative_to(folder.resolve()):
        raise ConfigurationError("output.template must be an xlsx file of the configuration folder")
    if not path.is_file():
        known = [name for name in data_files(folder) if name.lower().endswith(".xlsx")]
        raise ConfigurationError(f"there is no file {file}. {did_you_mean(file, known) or ''}".rstrip())
    template = read_template(path, file, {field.name: field.title for field in fields if field.output})
    if all(sheet.area is None for sheet in template.sheets):
        raise ConfigurationError(f"{file} has no header that is the name or label of a field, in its first 100 rows")
    require_fillable(template)
    return template


def _require_sheets(template: Template, settings: Settings) -> None:
    """Raise when a named output has no sheet; a single one may go to the only sheet, whatever its name."""
    areas = {sheet.name.casefold(): sheet.area for sheet in template.sheets}
    fillable = [sheet.name for sheet in template.sheets if sheet.area is not None]
    if len(settings.outputs) == len(fillable) == 1:
        return
    for output in settings.outputs:
        if output.name.casefold() not in areas:
            advice = did_you_mean(output.name, fillable) or f"Its sheets are: {', '.join(fillable)}"
            raise ConfigurationError(f"{template.file} has no sheet {output.name} for that output. {advice}")
        if areas[output.name.casefold()] is None:
            raise ConfigurationError(f"sheet {output.name} of {template.file} has no header that names a field")


def _misfits(template: Template, fields: Sequence[Field]) -> Iterator[tuple[str, str]]:
    areas = {sheet.name: sheet.area for sheet in template.sheets if sheet.area is not None}
    headers = {comparable(text) for area in areas.values() for text in area.headers.values() if text}
    for field in fields:
        if field.output and not {comparable(field.name), comparable(field.title)} & headers:
            advice = "Add a header, or write Field(…, output=False)."
            yield f"no header names the field {field.name}, so it is not written", advice
    for sheet, area in areas.items():
        if area.rows_below:
            advice = "Remove what is of an earlier result: one row below the header is enough."
            below = area.rows_below
            rows = f"row {below[0]} looks" if len(below) == 1 else f"rows {below[0]} to {below[-1]} look"
            yield f"{rows} like records in sheet {sheet} and will be below the new ones", advice
        for column, title in area.headers.items():
            if title and comparable(title) not in template.names and column not in area.formulas:
                advice = did_you_mean(title, [field.title for field in fields]) or ""
                yield f'"{title[:60]}" in sheet {sheet} names no field, so its cells stay empty', advice
