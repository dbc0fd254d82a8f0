"""Which questions does a project's history ask? The subjects of its commits, answered by the files that each changed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from clew.core.words import query_terms
from clew.evaluation.asked import COMMIT, Asked
from clew.search.paths import path_words
from clew.sources.git import Commit

MOST_FILES = 5
"""Files of a commit that is about one thing."""
LONGEST_SUBJECT = 300
"""Characters of a line that is a subject."""
FEWEST_TERMS = 3
"""Words of a subject that says what was done, without those that every subject has."""
_PREFIX = re.compile(r"^(?:\[[^\]]{1,30}\]\s*|[a-z]{2,12}(?:\([^)]{1,40}\))?!?:\s+)+", re.IGNORECASE)
"""`feat(api): `, `[core] `."""
_SUFFIX = re.compile(r"\s*\(?(?:#|gh-|!)\d+\)?\s*$|\s*\[(?:ci|skip)[^\]]*\]\s*$", re.IGNORECASE)
_CHORES = re.compile(
    r"^(?:merge|revert|bump|release|prepare|version|v?\d+\.\d|wip|fixup!|squash!|typo|lint|format|reformat|upgrade|downgrade|pin)\b"
    r"|\b(?:change ?log|dependabot|dependenc(?:y|ies)|linter|typos?|version bump|copyright|license)\b",
    re.IGNORECASE,
)
"""Subjects of commits that are about no part of the code."""


def questions_from(commits: Iterable[Commit], indexed: Collection[str]) -> Iterator[Asked]:
    """A question from each commit that has one, newest first; its files are those that are still there and hold code."""
    known = set(indexed)
    for commit in commits:
        query = _question(commit.subject)
        files = _answering([path for path in commit.files if path in known])
        if query and len(files) > 0 and len(commit.files) <= MOST_FILES:
            yield Asked(query, tuple(files), COMMIT)


def _question(subject: str) -> str:
    """The subject without its ornaments; empty where it is about no part of the code."""
    text = _SUFFIX.sub("", _PREFIX.sub("", subject[:LONGEST_SUBJECT].strip())).strip()
    return "" if _CHORES.search(text) or len(set(query_terms(text))) < FEWEST_TERMS else text


def _answering(files: list[str]) -> list[str]:
    """Tests, documents and generated files answer only a commit that changed nothing else."""
    code = [path for path in files if path_words(path).role is None]
    return code or files
