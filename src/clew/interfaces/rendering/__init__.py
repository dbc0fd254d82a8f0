"""How do answers look? As JSON, as plain lines, or in colour."""
