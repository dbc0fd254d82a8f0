"""What can go wrong, and what each fault means to a caller.

ClewError                 anything clew says no to; has a message, a hint and an exit code
├── UsageError            2   the question or a setting is wrong
│   ├── MissingExtra      2   an optional dependency is not installed
│   ├── NoSuchNamespace   2   there is no such namespace, or it may not be seen: the same words for both
│   ├── Forbidden         2   a role does not reach
│   └── InputRefused      2   a model refuses one text (too long, empty), whatever it makes of others
├── NoIndex               3   there is no index and none may be made
├── IndexUnusable         4   the index is damaged or of another version; the hint says how to rebuild
│   └── ModelMismatch     4   the index was made by another embedding model
│       ├── EmbeddingModelMismatchError      4   by one of another name or weights
│       └── EmbeddingDimensionMismatchError  4   by one whose vectors have another length
├── WriterBusy            5   another process is writing this index
├── Unreachable           3   a database or service does not answer, or refuses to
└── AllowanceSpent        3   a language model may not be asked further for this question
"""

from __future__ import annotations

from collections.abc import Sequence


class ClewError(Exception):
    """A fault that a user can act on: what is wrong (`message`) and what to do (`hint`)."""

    exit_code = 70
    code = "internal"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(ClewError):
    """The question, an option or a setting is wrong."""

    exit_code = 2
    code = "usage"


class MissingExtra(UsageError):
    """An optional dependency is needed and absent; the hint names the extra to install."""

    code = "missing_extra"


class NoSuchNamespace(UsageError):
    """There is no such namespace, or the caller may not know that there is."""


class Forbidden(UsageError):
    """The caller's role does not reach."""

    code = "forbidden"


class InputRefused(UsageError):
    """A model refuses the text that it was given: too long, empty, or not to its taste. Others are not concerned."""

    code = "input_refused"


class NoIndex(ClewError):
    """There is no index here and none may be made."""

    exit_code = 3
    code = "no_index"


class IndexUnusable(ClewError):
    """The index cannot be read; the hint says how to rebuild it."""

    exit_code = 4
    code = "index_unusable"


class ModelMismatch(IndexUnusable):
    """The index holds vectors of another model than the one that is set."""

    code = "model_mismatch"


class EmbeddingModelMismatchError(ModelMismatch):
    """The index holds vectors of a model of another name or other weights."""


class EmbeddingDimensionMismatchError(ModelMismatch):
    """The index holds vectors of another length than the model that is set makes."""

    code = "dimension_mismatch"


class WriterBusy(ClewError):
    """Another process is writing this index; `owner` says which."""

    exit_code = 5
    code = "writer_busy"

    def __init__(self, message: str, hint: str = "", owner: str = "") -> None:
        super().__init__(message, hint)
        self.owner = owner


class Unreachable(ClewError):
    """A database or service does not answer in time, or refuses to; never names a password."""

    exit_code = 3
    code = "unreachable"


class AllowanceSpent(ClewError):
    """What a question may cost of a language model (requests, tokens, time) is used up; whoever asks goes on without it."""

    exit_code = 3
    code = "allowance_spent"


def not_indexed(filepath: str) -> UsageError:
    """A file that is asked about and not in the index."""
    return UsageError(f"{filepath} is not in the index", "paths are relative to the project's root; `clew status` lists what was left out")


def is_folder(filepath: str, inside: Sequence[str]) -> UsageError:
    """A folder where a file was meant, with files in it."""
    some = ", ".join(inside[:3]) + (", …" if len(inside) > 3 else "")
    return UsageError(f"{filepath or '.'} is a folder, and importers are those of a file", f"ask for one of its files: {some}")
