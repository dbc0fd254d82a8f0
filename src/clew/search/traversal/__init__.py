"""How does a language model walk to the answer? Down the tree of folder, file and definition, of each level so much that it fits a prompt."""
