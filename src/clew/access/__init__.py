"""Who may see what? Pure rules, and the one door that every question of a shared store goes through."""

from clew.access.door import Audit, Door, Entry
from clew.access.records import record_of, to_facts
from clew.access.rules import may, may_grant, permissions_of, role_in, sees

__all__ = ["Audit", "Door", "Entry", "may", "may_grant", "permissions_of", "record_of", "role_in", "sees", "to_facts"]
