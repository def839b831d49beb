"""How statements reach the database: one at a time, or several in one message."""
