"""With which weights do the signs of an answer become a chance? Fits src/clew/search/calibration.py anew.

    python bench/fit_confidence.py QUERIES.jsonl WORKTREES [--cache DIR] [--check]

Run it after a change of ranking or of the shipped model; then run abstention.py. It asks each question of the repositories that have been
looked at (`code_set.DEV`) of its own repository and of others of them, weighs both kinds alike, and fits a logistic curve with a ridge to
"a right file is among the first five", once with the cosine and once without. `--check` prints, and writes nothing.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import code_set
import numpy as np
from pairs import FIRST, Pair, ask

from clew.assembly import embedder
from clew.search import confidence
from clew.search.confidence import Signs

ROUNDS = 4
RIDGE = 3.0
"""Weights of signs at unit variance are drawn to 0 as by so many answers: 1 to 10 give the same area under the curve within .001."""
STEPS = 50
TARGET = Path(__file__).resolve().parent.parent / "src" / "clew" / "search" / "calibration.py"
PAGE = '''"""With which weights do signs become a chance? Written by bench/fit_confidence.py: do not edit."""

from __future__ import annotations

from typing import NamedTuple


class Fit(NamedTuple):
    """A logistic curve: its constant, and a weight for each sign in their order (`confidence.Signs`)."""

    constant: float
    weights: tuple[float, ...]


FITTED_MODEL = {model!r}
"""The embedding model whose cosines `WITH_VECTORS` knows."""
WITH_VECTORS = Fit({with_constant}, {with_weights})
WITHOUT_VECTORS = Fit({without_constant}, {without_weights})
'''


def fit(pairs: Sequence[Pair], columns: int) -> tuple[float, tuple[float, ...]]:
    """Constant and weights for the first signs; those after them weigh 0."""
    signs = np.array([pair.signs[:columns] for pair in pairs])
    right = np.array([pair.is_right for pair in pairs], float)
    own = np.array([pair.is_own for pair in pairs])
    alike = np.where(own, 0.5 / own.mean(), 0.5 / (1 - own.mean()))
    middle, spread = signs.mean(0), signs.std(0)
    rows = np.column_stack([np.ones(len(signs)), (signs - middle) / spread])
    ridge = np.diag([0.0, *[RIDGE] * columns])
    weights = np.zeros(columns + 1)
    for _ in range(STEPS):  # Newton's method
        chance = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (alike * (right - chance)) - ridge @ weights
        weights += np.linalg.solve((rows.T * (alike * chance * (1 - chance))) @ rows + ridge, slope)
    plain = weights[1:] / spread
    constant = weights[0] - plain @ middle
    padded = [*map(float, plain), *[0.0] * (len(Signs._fields) - columns)]
    return round(float(constant), 3), tuple(round(weight, 3) for weight in padded)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("queries", type=Path)
    parser.add_argument("worktrees", type=Path)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "clew-code-set")
    parser.add_argument("--check", action="store_true")
    chosen = parser.parse_args()
    asked = code_set.questions(chosen.queries)
    engines = code_set.engines(chosen.worktrees.resolve(), chosen.cache.resolve(), code_set.DEV)
    confidence.FAINT, confidence.FEW_LINES = 0.0, FIRST  # what the fit so far thinks must not decide what the next one sees
    columns = len(Signs._fields)
    with_vectors = fit(ask(engines, asked, "hybrid", ROUNDS), columns)
    without = fit(ask(engines, asked, "fast", ROUNDS), columns - 1)
    model = embedder(next(iter(engines.values())).settings).space.model
    page = PAGE.format(
        model=model, with_constant=with_vectors[0], with_weights=with_vectors[1], without_constant=without[0], without_weights=without[1]
    )
    print(page)
    if not chosen.check:
        TARGET.write_text(page, encoding="utf-8")
        subprocess.run([sys.executable, "-m", "ruff", "format", "-q", str(TARGET)], check=False)


if __name__ == "__main__":
    main()
