"""What helps to test clew and its plug-ins? Small honest implementations of the protocols."""

from clew.testing.hashing_embedder import HashingEmbedder
from clew.testing.memory_store import MemoryStore
from clew.testing.samples import a_change, a_chunk, a_file
from clew.testing.scripted_model import Script

__all__ = ["HashingEmbedder", "MemoryStore", "Script", "a_change", "a_chunk", "a_file"]
