"""Callers, and what they may do."""
