"""The schema's steps, copies, retention, and what an operator checks."""
