"""The first pass: find tables and their headers."""
