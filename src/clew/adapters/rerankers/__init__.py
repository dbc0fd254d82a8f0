"""Who reads a question and a text together and says how far the one answers the other? A file for each, loaded when it is asked."""
