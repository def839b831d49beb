"""A configuration: a folder of small rules, checked, loaded once and compiled to what a run calls."""
