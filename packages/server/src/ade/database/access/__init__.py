"""People, sign-in, and requests that were answered already."""
