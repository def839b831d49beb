"""The fixtures of tests of readers; what they build files from is a module, which tests import by its own name."""

from xlsx_parts import build, open_first, opened  # noqa: F401
