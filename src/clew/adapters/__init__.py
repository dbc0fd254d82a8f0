"""Whose models do we use? One folder a kind, one file a provider."""
