"""How is a question about databases answered? From words to the tables, columns and joins that it needs."""
