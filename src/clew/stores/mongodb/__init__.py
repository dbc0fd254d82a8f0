"""Can an index live in MongoDB? In Atlas, or in a MongoDB with search of one's own, shared by many projects and people."""

from clew.stores.mongodb.store import MongoStore

__all__ = ["MongoStore"]
