"""How do a team's programs and agents reach clew? By HTTP: a small typed interface, and MCP, behind one authentication."""
