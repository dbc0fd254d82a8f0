#!/usr/bin/env python3
"""Does an answer about databases know when they have nothing to do with the question? Each is asked of its own database and of another one.

    schema_abstention.py DATA [--every N]

DATA is the folder of the schema sets (schema_set.py). The other database is drawn by a seed from the same half. Prints the constants that a fit on the
databases of dev gives (search/schema/confidence.py has them), and for the other half the area under the ROC curve of the chance and how many are called none or low.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import NamedTuple

import numpy as np
from schema_set import SETS, corpus, is_dev, questions, snapshots

from clew.adapters.embedders.static import load
from clew.core.schema.answer import SchemaQuestion
from clew.core.schema.meaning import Meanings
from clew.index.schema_chunks import schema_documents
from clew.search.chances import MEDIUM, logistic
from clew.search.schema import confidence
from clew.search.schema.evidence import Beside, gather
from clew.search.schema.index import Entry, build
from clew.search.schema.retrieval import _pick
from clew.search.schema.scorer import Scorer
from clew.search.schema.weights import WEIGHTS

SEED, RIDGE, STEPS = 7, 3.0, 40


class Asked(NamedTuple):
    """A question asked of a database."""

    set_name: str
    is_dev: bool
    is_own: bool
    signs: tuple[float, ...]


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / (np.linalg.norm(vectors, axis=-1, keepdims=True) + 1e-9)


def asked(data: Path, name: str, every: int) -> list[Asked]:
    """Every question with its own and with another database."""
    model, draw = load(""), random.Random(SEED)
    known = snapshots(data, corpus(name))
    indexes = {database: build([Entry(one)]) for database, one in known.items()}
    scorers = {database: Scorer(index, WEIGHTS) for database, index in indexes.items()}
    vectors = {}
    for database, one in known.items():
        chunks = [chunk for document in schema_documents(one, Meanings()) for chunk in document.chunks if chunk.kind in ("table", "column")]
        made = unit(np.asarray(model.embed_documents([chunk.get_page_content() for chunk in chunks]), np.float32))
        vectors[database] = (made, np.array([chunk.kind == "table" for chunk in chunks]))
    found = []
    for question in questions(data, name)[::every]:
        own = question["db_id"]
        others = [one for one in sorted(known) if one != own and is_dev(one) == is_dev(own)] or [one for one in sorted(known) if one != own]
        vector = unit(np.asarray(model.embed_query(question["query"]), np.float32))
        for database in (own, draw.choice(others)):
            evidence = gather(question["query"], indexes[database], scorers[database], Beside(), WEIGHTS)
            made, is_table = vectors[database]
            cosines = made @ vector
            evidence = evidence._replace(nearest=(float(cosines[is_table].max()), float(cosines[~is_table].max())))
            is_met = evidence.tables.any() or evidence.columns.any()
            tables = _pick(SchemaQuestion(question["query"]), indexes[database], evidence).tables if is_met else []
            found.append(Asked(name, is_dev(own), database == own, tuple(confidence.signs_of(evidence, tables))))
    return found


def fit(rows: list[Asked], signs: int) -> tuple[float, list[float]]:
    """Constant and weights of the first signs, by Newton's method with a ridge."""
    values, own = np.array([one.signs[:signs] for one in rows]), np.array([float(one.is_own) for one in rows])
    middle, spread = values.mean(0), values.std(0)
    known = np.column_stack([np.ones(len(values)), (values - middle) / spread])
    ridge, weights = np.diag([0.0, *[RIDGE] * signs]), np.zeros(signs + 1)
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-known @ weights))
        slope = known.T @ (own - chance) - ridge @ weights
        weights += np.linalg.solve((known.T * (chance * (1 - chance))) @ known + ridge, slope)
    plain = weights[1:] / spread
    return round(float(weights[0] - plain @ middle), 3), [round(float(one), 3) for one in plain]


def area(own: np.ndarray, other: np.ndarray) -> float:
    """The chance that a question gets the higher number of its own database."""
    return float((own[:, None] > other).mean() + (own[:, None] == other).mean() / 2)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("data", type=Path)
    options.add_argument("--every", type=int, default=1)
    given = options.parse_args()
    rows = [one for name in SETS for one in asked(given.data, name, given.every)]
    for label, signs in (("WITH_VECTORS", 4), ("WITHOUT_VECTORS", 2)):
        print(label, *fit([one for one in rows if one.is_dev], signs))
    print("\n| set, held out | vectors | area | own: none, low | other: none, low |\n| --- | --- | --- | --- | --- |")
    for name in SETS:
        for label, (constant, weights) in (("yes", confidence.WITH_VECTORS), ("no", confidence.WITHOUT_VECTORS)):
            held = [(one.is_own, logistic(constant, weights, one.signs)) for one in rows if one.set_name == name and not one.is_dev]
            own, other = (np.array([value for is_own, value in held if is_own is wanted]) for wanted in (True, False))
            shares = (
                f"{(one < confidence.FAINT).mean():.3f}, {((one >= confidence.FAINT) & (one < MEDIUM)).mean():.3f}" for one in (own, other)
            )
            print(f"| {name}, {len(own)} | {label} | {area(own, other):.3f} | {' | '.join(shares)} |")


if __name__ == "__main__":
    main()
