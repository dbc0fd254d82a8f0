"""How do coding agents learn of clew? Their settings are changed in place: nothing else in a file moves, and it can be undone."""
