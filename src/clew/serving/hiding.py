"""What of an answer is for nobody elsewhere? Where things lie on the server's disk, and what a namespace's neighbours in a store do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from clew.core.answer import Answer, Remembered, Status
from clew.core.schema.reports import Listed, Shown
from clew.errors import ClewError
from clew.namespaces import Known

Said = TypeVar("Said")


class Hiding:
    """Takes these `places` out of what is said. Without any, nothing is taken out: who asks is on the same machine."""

    def __init__(self, places: Iterable[tuple[str, str]] = ()) -> None:
        self._places = sorted(((place, name) for place, name in places if place), key=lambda one: -len(one[0]))

    def text(self, text: str) -> str:
        """The text, with names where folders stood."""
        for place, name in self._places:
            text = text.replace(place, name)
        return text

    def fault(self, fault: ClewError) -> ClewError:
        """The same fault, in such words."""
        fault.message, fault.hint = self.text(fault.message), self.text(fault.hint)
        return fault

    def of(self, said: Said) -> Said:
        """The same answer without them."""
        return self._bare(said) if self._places else said

    def _bare(self, said: Any) -> Any:
        changed: dict[str, Any] = {}
        if isinstance(said, Answer):
            changed = {"results": tuple(replace(one, absolute_path="") for one in said.results), "hint": self.text(said.hint)}
        elif isinstance(said, Status):
            changed = {"root": "", "bytes": 0, "writer": "", "questions": Remembered(), "last_error": self.text(said.last_error)}
        elif isinstance(said, Known):
            changed = {"root": ""}
        elif isinstance(said, Listed):
            changed = {
                "registration": replace(said.registration, url=""),
                "standing": replace(said.standing, fault=self.text(said.standing.fault)),
            }
        elif isinstance(said, Shown):
            warnings = tuple(map(self.text, said.snapshot.warnings))
            changed = {"snapshot": said.snapshot.model_copy(update={"warnings": warnings})}
        if is_dataclass(said) and any(one.name == "warnings" for one in fields(said)):
            changed["warnings"] = tuple(map(self.text, getattr(said, "warnings")))  # noqa: B009 - of any kind of answer
        return replace(said, **changed) if changed else said
