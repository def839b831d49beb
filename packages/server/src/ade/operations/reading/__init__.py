"""Reads documents on behalf of people: in children that are shut in, in fair turns, within bounds of disk and time."""
