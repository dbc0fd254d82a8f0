"""When did a file last change? The one time that nobody can set back."""

from __future__ import annotations

import os


def changed_ns(seen: os.stat_result) -> int:
    """The time of the last change of content, name or mode, in nanoseconds; a file whose time of modification was set, back or into the
    future, does not deceive it. On Windows, where there is none, the time of modification."""
    return seen.st_mtime_ns if os.name == "nt" else seen.st_ctime_ns
