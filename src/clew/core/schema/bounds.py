"""How many values of a database are kept at most?"""

from __future__ import annotations

MOST_OF_A_COLUMN = 10_000
"""A column with more holds texts, or names of single things, which a question asks the database for."""
MOST_OF_A_DATABASE = 200_000
"""Some 10 MB, written in a second or two."""
