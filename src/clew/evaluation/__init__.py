"""How well does clew answer on a project of one's own? Questions made from it, a baseline to compare with, and the scores."""
