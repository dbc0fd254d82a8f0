"""What do people's own files say about a database? Metrics and a glossary, in YAML, in dbt's form or a short one of clew's."""

from clew.adapters.meanings.gathering import read_meanings
from clew.adapters.meanings.glossary import read_glossary, terms_of
from clew.adapters.meanings.metrics import read_metrics

__all__ = ["read_glossary", "read_meanings", "read_metrics", "terms_of"]
