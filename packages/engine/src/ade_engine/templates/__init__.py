"""Workbooks that an output is written into: read and checked with the configuration, filled at the end of a run."""
