"""What helps to test clew and its plug-ins? Small honest implementations of the protocols."""

from clew.testing.hashing_embedder import HashingEmbedder
from clew.testing.memory_store import MemoryStore

__all__ = ["HashingEmbedder", "MemoryStore"]
