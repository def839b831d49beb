"""Claims runs and builds, and executes each in a sandboxed child."""
