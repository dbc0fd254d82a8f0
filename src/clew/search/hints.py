"""What should be done next? One short sentence that depends on the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from clew.core.answer import Answer, Question, Skip
from clew.core.query import Filters

FOLDER_SHARE = 0.6
"""Share of the results in one folder from which it is worth looking only there."""
FEWEST = 5
"""Results from which their folders say anything."""

EMPTY = "no file of this project is indexed: is this the right folder? --path names another"
NAMED_SKIPS = 3
"""Files left out that an empty answer names; more would bury the hint."""


def hint_for(answer: Answer, question: Question, skipped: Sequence[Skip], *, is_empty: bool = False) -> str:
    """What to do with this answer; empty where it speaks for itself. `skipped` are the files that are not in the index, which may be all."""
    if not answer.results:
        return EMPTY + _left_out(skipped) if is_empty else _nothing(answer, question, skipped)
    if answer.stale:
        return "some files changed since they were indexed: run `clew index`, then ask again"
    if answer.more or answer.confidence == "low":
        return answer.more or "these are weak matches: ask with a name or a word that stands in the code" + _unless_fast(answer)
    folder = _common_folder(answer)
    if folder and answer.confidence == "medium" and not question.filters.paths:
        return f"most of these are in {folder}: narrow with --in {folder}"
    if len(answer.results) >= question.limit and answer.confidence == "medium":
        return "for more of these, raise --limit; for fewer, add a name, or narrow with --in"
    return ""


def _nothing(answer: Answer, question: Question, skipped: Sequence[Skip]) -> str:
    if answer.confidence != "none":
        return f"no result fits {question.max_tokens} tokens: raise --max-tokens"
    if answer.withheld:
        return "what was found is too weak to be shown: ask with a name or a word that stands in the code" + _unless_fast(answer)
    if question.filters:
        return (
            f"nothing matches within {' '.join(_options(question.filters))}: ask again without, or see with `clew status` what is indexed"
        )
    return "no match in the indexed files: try other words, or a name that stands in the code" + _left_out(skipped)


def _options(filters: Filters) -> Iterator[str]:
    """The filters as options of the command line."""
    yield from (f"--in {one.path}" for one in filters.paths)
    yield from (f"--language {name}" for name in filters.languages)
    yield from (f"--symbol-type {name}" for name in filters.symbol_types)


def _left_out(skipped: Sequence[Skip]) -> str:
    """What the answer may be missing: the files that are not in the index, the first of them by name."""
    if not skipped:
        return ""
    named = "; ".join(f"{skip.filepath}: {skip.reason}" for skip in skipped[:NAMED_SKIPS])
    more = ", …" if len(skipped) > NAMED_SKIPS else ""
    return f"; {len(skipped)} file{'s are' if len(skipped) > 1 else ' is'} not indexed ({named}{more}; `clew status` lists them)"


def _unless_fast(answer: Answer) -> str:
    return "" if answer.mode != "fast" else ", or with --mode hybrid"


def _common_folder(answer: Answer) -> str:
    """The folder, not the root, that holds the best of the results and most of them."""
    if len(answer.results) < FEWEST:
        return ""
    folders = Counter(result.chunk.filepath.rpartition("/")[0] for result in answer.results)
    best = answer.results[0].chunk.filepath.rpartition("/")[0]
    return best if len(folders) > 1 and folders[best] >= FOLDER_SHARE * len(answer.results) else ""
