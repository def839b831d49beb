"""The worker: claims runs and builds, and executes each in a sandboxed child. Read loop.py first, then attempt.py."""
