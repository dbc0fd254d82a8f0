"""Where can writes be made to fail? On Linux with a C compiler; elsewhere there is nothing to collect here."""

from __future__ import annotations

from .injecting import can_inject

collect_ignore_glob = [] if can_inject() else ["test_*.py"]
