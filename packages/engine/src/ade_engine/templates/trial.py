"""Fills a template once before it is used, so that a damaged one is a problem of the configuration and not of a run."""

from __future__ import annotations

import io

from ade_engine.errors import ConfigurationError
from ade_engine.templates.template import Template
from ade_engine.templates.writer import TemplateWriter


def require_fillable(template: Template) -> None:
    """Raise ConfigurationError when the template cannot be filled.

    What a part may say wrongly is without end: a number that is none, a row without its number, a style that is not
    there. Each ends in one of these errors where it is used, with any rows.
    """
    writer = TemplateWriter(io.BytesIO(), template)
    try:
        for sheet in template.sheets:
            if sheet.area is not None:
                titles = list(sheet.area.headers.values())
                writer.begin_table(sheet.name, titles)
                writer.write_rows([[None] * len(titles), [1] * len(titles)], highlighted=[(1, 0)])
                writer.end_table()
        writer.begin_table("Issues", ["Row"], is_issues=True)
        writer.close()
    except (ValueError, LookupError, StopIteration, AttributeError) as error:
        writer.discard()
        advice = "Open it in a spreadsheet program and save it as xlsx"
        raise ConfigurationError(f"{template.file} is damaged, or written in an unusual way. {advice}") from error
