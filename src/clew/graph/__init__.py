"""How do parts hang together? Names are followed through scopes, imports and types to the definitions that they mean."""
