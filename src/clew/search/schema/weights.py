"""What does each piece of evidence weigh? Fitted by bench/fit_schema.py on half of the benchmark's databases, see bench/results/schema.md."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """Strengths of a match are relative to the same stem's, 1."""

    abbreviation: float = 0.7
    synonym: float = 0.27
    sense: float = 0.17
    wider: float = 0.1
    kind: float = 0.07
    cue: float = 0.3
    literal: float = 0.3
    moment: float = 0.3
    fuzzy: float = 0.5
    formulaic: float = 0.5
    quoted: float = 0.6

    k: float = 0.8
    b: float = 0.27

    table_column: float = 0.6
    table_description: float = 0.45
    table_value: float = 0.9
    table_covered: float = 2.0
    neighbour: float = 0.38
    datasource: float = 1.54
    datasource_best: float = 1.8
    datasource_description: float = 0.8
    datasource_size: float = 0.2

    column_table: float = 0.35
    column_description: float = 0.15
    column_value: float = 0.6
    column_covered: float = 4.0
    column_from_table: float = 0.1
    key: float = 0.7
    usual: float = 0.5
    dated: float = 1.0
    table_claim: float = 1.0
    cue_of_table: float = 0.33
    value_found: float = 1.0
    vector: float = 0.05
    vector_of_link: float = 0.1
    vector_of_datasource: float = 0.05


WEIGHTS = Weights()
