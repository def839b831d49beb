"""One writer per output format; ade_engine.write chooses."""
