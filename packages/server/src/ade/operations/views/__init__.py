"""Runs, builds and the queue as people see them."""
