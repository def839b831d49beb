def on_table_end(summary):
    if summary["rows"] == 0:
        return ("warning", "the table has no rows")
