"""Where does an index live by default? In one folder: a SQLite catalog, a LanceDB table, a snapshot for fast reading."""

from clew.stores.embedded.settling import Limits
from clew.stores.embedded.store import EmbeddedStore

__all__ = ["EmbeddedStore", "Limits"]
