"""What is true of a namespace now? One document, whose replacement is the moment at which a build is seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from clew.core.catalog import Space
from clew.stores.mongodb.encoding import packed, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clew.core.chunk import Visibility

HOLDERS = "namespaces"
"""The collection of states, each with the lease of whoever writes."""
PRIMARY = "chunks"
"""The collection of chunks, with the vectors of the store's first space."""


class Last(NamedTuple):
    """The last chunk that a build wrote, with the spaces in which it is near anything: an index that follows in order shows all of a build when it shows that."""

    namespace: str
    id: str
    filepath: str
    born: int
    spaces: tuple[str, ...]


class Size(NamedTuple):
    """How many chunks of one visibility there are, and how many words they hold."""

    chunks: int = 0
    words: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """A namespace as one build left it. What a build wrote is seen by whoever reads a state of that build or a later one."""

    namespace: str
    generation: int = 0
    sizes: Mapping[str, Size] = field(default_factory=dict)
    embedded: Mapping[str, int] = field(default_factory=dict)
    spaces: tuple[Space, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    files: int = 0
    swept: tuple[int, int] = (0, 0)
    last: Last | None = None
    settled: int = 0

    @property
    def chunks(self) -> int:
        """How many are alive."""
        return sum(size.chunks for size in self.sizes.values())

    def seen(self, visibilities: Iterable[Visibility]) -> Size:
        """How many chunks of these visibilities there are, and their words."""
        found = [self.sizes[one] for one in dict.fromkeys(visibilities) if one in self.sizes]
        return Size(sum(one.chunks for one in found), sum(one.words for one in found))

    @property
    def is_there(self) -> bool:
        """Whether anything is known of the namespace."""
        return bool(self.files or self.facts or self.spaces)


def state_of(found: Mapping[str, Any] | None, namespace: str) -> State:
    """The state that a document tells; a namespace without one is empty."""
    if not found:
        return State(namespace)
    last = found.get("last")
    return State(
        namespace=namespace,
        generation=found.get("generation", 0),
        sizes={name: Size(*size) for name, size in found.get("sizes", {}).items()},
        embedded=found.get("embedded", {}),
        spaces=tuple(Space(*space) for space in found.get("spaces", ())),
        facts={unpacked(key): unpacked(value) for key, value in found.get("facts", ())},
        files=found.get("files", 0),
        swept=tuple(found.get("swept", (0, 0))),
        last=Last(namespace, last[0], unpacked(last[1]), last[2], tuple(last[3])) if last else None,
        settled=found.get("settled", 0),
    )


def document_of(state: State) -> dict[str, Any]:
    """What is set when the state becomes the namespace's."""
    last = state.last
    return {
        "generation": state.generation,
        "sizes": {name: list(size) for name, size in state.sizes.items()},
        "embedded": dict(state.embedded),
        "spaces": [[space.fingerprint, space.model, space.dims] for space in state.spaces],
        "facts": [[packed(key), packed(value)] for key, value in sorted(state.facts.items())],
        "files": state.files,
        "swept": list(state.swept),
        "last": [last.id, packed(last.filepath), last.born, list(last.spaces)] if last else None,
        "settled": state.settled,
    }
