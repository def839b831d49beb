"""Workspaces, documents, configurations and webhooks."""
