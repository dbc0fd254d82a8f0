"""How does a shell reach us? One file a command."""
