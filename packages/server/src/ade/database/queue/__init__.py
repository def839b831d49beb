"""Runs, builds and workers: the queue and its one lock."""
