def detect_export_line(row):
    """A line that says who exported the list is a note, wherever it is."""
    return 2.0 if row.first.lower().startswith("exported by") else 0.0
