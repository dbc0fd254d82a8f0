"""What becomes of an index when each of its writes fails, one at a time? `python -m tests.faults [--action KILL]… [--scenario NAME]… [--every N]`.

Prints for each scenario and way of failing how many trials ended with right answers at once, with answers that said what they lack, and with a
refusal that named its repair; and each trial that ended otherwise. Exit code 1 if there was one. All of it takes an hour or two.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from .injecting import FAILURES, KILL, TEAR, Injector, can_inject
from .scenarios import SCENARIOS, Case

ACTIONS = {"KILL": (KILL, False), "TEAR": (TEAR, False)} | {
    f"{name}{'...' if lasting else ''}": (number, lasting) for name, number in FAILURES.items() for lasting in (False, True)
}
"""By name; with dots it fails from that write on, as a full disk does."""


def main() -> int:
    """Run the trials that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--action", action="append", choices=ACTIONS, help="one way of failing (default: all)")
    parser.add_argument("--scenario", action="append", choices=SCENARIOS, help="one scenario (default: all)")
    parser.add_argument("--every", type=int, default=1, help="only each N-th write")
    asked = parser.parse_args()
    if not can_inject():
        parser.error("this needs Linux and a C compiler (cc)")
    bad = 0
    with tempfile.TemporaryDirectory() as work:
        injector = Injector(Path(work), Path(work))
        for name in asked.scenario or SCENARIOS:
            case = Case(SCENARIOS[name], injector, Path(work, name.replace(" ", "-")))
            writes = case.count()
            for action in asked.action or ACTIONS:
                bad += _all(case, action, writes, asked.every)
        injector.close()
    return 1 if bad else 0


def _all(case: Case, action: str, writes: tuple[str, ...], every: int) -> int:
    """Every write of the scenario; returns how many trials ended badly."""
    begun = time.monotonic()
    ends: Counter[str] = Counter()
    number, lasting = ACTIONS[action]
    for at in range(1, len(writes) + 1, every):
        try:
            ends[case.trial(at, number, lasting=lasting)] += 1
        except AssertionError as wrong:
            ends["WRONG"] += 1
            print(f"!! {case.scenario.name}, {action} at write {at} ({writes[at - 1]}): {wrong}", flush=True)
    found = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
    print(f"{case.scenario.name}, {action}: {ends.total()} of {len(writes)} writes: {found} ({time.monotonic() - begun:.0f} s)", flush=True)
    return ends["WRONG"]


if __name__ == "__main__":
    sys.exit(main())
