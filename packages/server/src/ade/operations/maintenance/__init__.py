"""Backup, restore, retention and health."""
