"""The nouns and their rules: pure, standard library only."""
