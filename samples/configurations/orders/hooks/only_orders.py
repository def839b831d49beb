def on_table_start(table):
    """Leave out tables that have nothing to do with orders."""
    return any("order" in header.lower() for header in table.headers)
