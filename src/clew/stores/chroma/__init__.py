"""Can vectors live in Chroma? In a local folder or on a server, instead of LanceDB; the catalog stays what it is."""

from clew.stores.chroma.home import ChromaHome, chroma_home

__all__ = ["ChromaHome", "chroma_home"]
