"""Maps the columns of a table to fields: scores from named contributions, then one best assignment."""
