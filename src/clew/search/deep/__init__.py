"""How does search read like a developer? A language model walks the index move by move, and what it says counts as far as the files bear it out."""
