"""The second pass: which raw column feeds which field."""
