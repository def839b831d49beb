"""One reader per input format, one interface (base.py), one place that decides by content (open_workbook)."""
