"""Confines a child process, and reports how far."""
