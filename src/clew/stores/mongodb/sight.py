"""Which documents may a question see? The one place where a question becomes a pipeline: none is made without its scope.

**Nothing else in this package makes a `$search`, a `$searchMeta` or a `$vectorSearch`, or reads a collection for a question** (a test looks).
Search indexes lag behind what they index, so the scope is asked of them and then, of what they found, once more of the documents themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from clew.stores.filtering import nfc
from clew.stores.mongodb.documents import FIELDS, HIT, Document, projection
from clew.stores.mongodb.encoding import packed
from clew.stores.mongodb.state import PRIMARY, Last, Size, State

if TYPE_CHECKING:
    from clew.core.query import Filters, Scope
    from clew.stores.mongodb.connection import Connection

Pipeline = list[Document]

WORDS_INDEX = "keyword_search_index"
AT_ONCE = 1_000
"""Documents in an answer of the server before it is asked for more."""
MOST_CANDIDATES = 10_000
"""More neighbours than that a server does not consider."""


class Names(NamedTuple):
    """What the vector index and the field of vectors are called: settings, since others may read the same documents."""

    vectors: str = "vector_search_index"
    path: str = "embedding_vector"


class Near(NamedTuple):
    """How neighbours are looked for: `candidates` None is exactly."""

    collection: str
    vector: Any
    limit: int
    candidates: int | None = None


@dataclass(frozen=True, slots=True)
class Paths:
    """The files that a question is restricted to: by name where they are few, else by an expression that their paths match."""

    few: tuple[str, ...] | None = None
    pattern: str = ""


class Sight:
    """A scope at one moment. Made of the states of its namespaces; what those do not tell is not seen."""

    def __init__(self, connection: Connection, names: Names, scope: Scope, states: Iterable[State]) -> None:
        self._connection = connection
        self._names = names
        self._visibilities = list(dict.fromkeys(scope.visibilities))
        self.states = tuple(states)

    @property
    def generation(self) -> int:
        """Grows with every build of a namespace in scope."""
        return sum(state.generation for state in self.states)

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for sights that see the same."""
        return (tuple((state.namespace, state.generation) for state in self.states), tuple(self._visibilities))

    @property
    def size(self) -> Size:
        """How many chunks are seen, and their words."""
        sizes = [state.seen(self._visibilities) for state in self.states]
        return Size(sum(size.chunks for size in sizes), sum(size.words for size in sizes))

    def __bool__(self) -> bool:
        """Whether there may be anything to see."""
        return bool(self.states and self._visibilities)

    # -- by the catalog --

    def find(
        self, collection: str, more: Mapping[str, Any], fields: Iterable[str], *, sort: str = "", limit: int = 0
    ) -> Iterator[Document]:
        """Documents of chunks that are seen, with these fields."""
        if not self:
            return iter(())
        query = _all_of(self._alive(), {"visibility": {"$in": self._visibilities}}, more)
        cursor = self._connection.database[collection].find(query, projection(fields), batch_size=AT_ONCE)
        cursor = cursor.sort(sort, 1) if sort else cursor
        return iter(cursor.limit(limit) if limit else cursor)

    def files(self, collection: str, more: Mapping[str, Any], fields: Iterable[str]) -> Iterator[Document]:
        """Documents of files of which every chunk is seen, in order of path."""
        if not self:
            return iter(())
        hidden = {"visibilities": {"$elemMatch": {"$nin": self._visibilities}}}
        query = _all_of(self._alive(), {"$nor": [hidden]}, more)
        return iter(self._connection.database[collection].find(query, projection(fields), batch_size=AT_ONCE).sort("file_path", 1))

    def grouped(self, more: Mapping[str, Any], by: str) -> Iterator[Any]:
        """The different values of a field among the chunks that are seen."""
        match = _all_of(self._alive(), {"visibility": {"$in": self._visibilities}}, more)
        return (found["_id"] for found in self._run(PRIMARY, [{"$match": match}, {"$group": {"_id": f"${by}"}}]))

    # -- by the search indexes --

    def matching(self, terms: Sequence[str], filters: Filters, paths: Paths, limit: int) -> Iterator[Document]:
        """The chunks that hold any of the terms, best first by the server's own score, each with those of its words that were asked."""
        asked = " ".join(terms)
        should = [
            {"text": {"query": asked, "path": f"words.{name}", "score": {"boost": {"value": weight}}}}
            for name, weight in zip(FIELDS, _boosts(), strict=True)
        ]
        compound = {"filter": self._clauses(filters, paths), "should": should, "minimumShouldMatch": 1}
        found = {name: _asked_words(f"$words.{name}", list(terms)) for name in FIELDS}
        return self._run(
            PRIMARY,
            [
                {"$search": {"index": WORDS_INDEX, "compound": compound}},
                {"$match": self._again(paths)},
                {"$limit": limit},
                {"$project": {**projection(HIT), "length": 1, "found": found}},
            ],
        )

    def frequencies(self, asked: Mapping[str, Sequence[str]]) -> dict[str, int]:
        """How many living chunks in scope hold all of the words that stand for each term."""
        whole: Pipeline = []
        for term, words in asked.items():
            every = [{"text": {"query": word, "path": [f"words.{name}" for name in FIELDS]}} for word in words]
            compound = {"filter": [*self._clauses(), *every]}
            one: Pipeline = [
                {"$searchMeta": {"index": WORDS_INDEX, "count": {"type": "total"}, "compound": compound}},
                {"$project": {"_id": 0, "term": {"$literal": packed(term)}, "total": "$count.total"}},
            ]
            whole += one if not whole else [{"$unionWith": {"coll": PRIMARY, "pipeline": one}}]
        return {str(found["term"]): int(found["total"]) for found in self._run(PRIMARY, whole)} if whole else {}

    def holding(self, words: Sequence[str]) -> Iterator[Any]:
        """The files in scope with a chunk that holds all of the words."""
        every = [{"text": {"query": word, "path": [f"words.{name}" for name in FIELDS]}} for word in words]
        pipeline = [
            {"$search": {"index": WORDS_INDEX, "compound": {"filter": [*self._clauses(), *every]}}},
            {"$match": self._again(Paths())},
            {"$group": {"_id": "$file_path"}},
        ]
        return (found["_id"] for found in self._run(PRIMARY, pipeline))

    def shown(self, state: State) -> int:
        """How many living chunks of a namespace the keyword index shows, whatever their visibility: what is written by it, not found in it."""
        compound = {"filter": [_shows([state])]}
        stage = {"$searchMeta": {"index": WORDS_INDEX, "count": {"type": "total"}, "compound": compound}}
        return sum(int(found["count"]["total"]) for found in self._run(PRIMARY, [stage]))

    def shows_words(self, last: Last) -> bool:
        """Whether the keyword index shows the last chunk that a build wrote."""
        every = [_in("namespace_id", [last.namespace]), _in("id", [last.id]), {"equals": {"path": "born", "value": last.born}}]
        stage = {"$searchMeta": {"index": WORDS_INDEX, "count": {"type": "total"}, "compound": {"filter": every}}}
        return any(found["count"]["total"] for found in self._run(PRIMARY, [stage]))

    def shows_vector(self, last: Last, collection: str, dims: int) -> bool:
        """Whether a vector index shows the file of the last chunk that a build wrote, as that build wrote it."""
        every: list[Document] = [
            {"namespace_id": {"$in": [last.namespace]}},
            {"file_path": {"$in": [packed(last.filepath)]}},
            {"born": {"$eq": last.born}},
        ]
        stage: Document = {"index": self._names.vectors, "path": self._names.path, "filter": {"$and": every}, "limit": 1, "exact": True}
        pipeline = [{"$vectorSearch": {**stage, "queryVector": [1.0, *[0.0] * (dims - 1)]}}, {"$project": {"_id": 1}}]
        return any(True for _ in self._run(collection, pipeline))

    def nearest(self, near: Near, filters: Filters, paths: Paths) -> Iterator[Document]:
        """The chunks near a vector, nearest first, with `score`, the server's (1 + cosine) / 2."""
        return self._run(
            near.collection,
            [
                self._near(near, filters, paths),
                {"$match": self._again(paths)},
                {"$project": {**projection(HIT), "score": {"$meta": "vectorSearchScore"}}},
            ],
        )

    def levels(self, near: Near, filters: Filters) -> Iterator[Document]:
        """Of each file in scope the best and the mean score of its chunks, and how many those are."""
        return self._run(
            near.collection,
            [
                self._near(near, filters, Paths()),
                {"$match": self._again(Paths())},
                {"$project": {"namespace_id": 1, "file_path": 1, "score": {"$meta": "vectorSearchScore"}}},
                {
                    "$group": {
                        "_id": {"namespace_id": "$namespace_id", "file_path": "$file_path"},
                        "best": {"$max": "$score"},
                        "mean": {"$avg": "$score"},
                    }
                },
            ],
        )

    def _near(self, near: Near, filters: Filters, paths: Paths) -> Document:
        how: Document = {"exact": True} if near.candidates is None else {"numCandidates": near.candidates}
        conditions: list[Document] = [
            {"namespace_id": {"$in": [state.namespace for state in self.states]}},
            {"$or": [_shown_by(state) for state in self.states]},
            {"visibility": {"$in": self._visibilities}},
            *({name: {"$in": values}} for name, values in _labels(filters)),
            *([{"file_path": {"$in": list(paths.few)}}] if paths.few is not None else []),
        ]
        return {
            "$vectorSearch": {
                "index": self._names.vectors,
                "path": self._names.path,
                "queryVector": near.vector,
                "filter": {"$and": conditions},
                "limit": near.limit,
                **how,
            }
        }

    def _clauses(self, filters: Filters | None = None, paths: Paths | None = None) -> list[Document]:
        """The scope, and what else is asked, as clauses of `$search`."""
        return [
            _in("namespace_id", [state.namespace for state in self.states]),
            _shows(self.states),
            _in("visibility", self._visibilities),
            *(_in(name, values) for name, values in (_labels(filters) if filters else ())),
            *([_in("file_path", list(paths.few))] if paths is not None and paths.few is not None else []),
        ]

    def _again(self, paths: Paths) -> Document:
        """The scope once more, of the documents themselves: an index may still show what was deleted, or is seen by fewer now."""
        by_path = [{"path_nfc": {"$regex": paths.pattern, "$options": "s"}}] if paths.pattern else []
        return _all_of(self._alive(), {"visibility": {"$in": self._visibilities}}, *by_path)

    def _alive(self) -> Document:
        """What each namespace's state shows of its documents."""
        shown: list[Document] = [
            {"namespace_id": state.namespace, "born": {"$lte": state.generation}, "died": {"$gt": state.generation}}
            for state in self.states
        ]
        return shown[0] if len(shown) == 1 else {"$or": shown}

    def _run(self, collection: str, pipeline: Pipeline) -> Iterator[Document]:
        return iter(self._connection.database[collection].aggregate(pipeline, batchSize=AT_ONCE)) if self else iter(())


def _all_of(*conditions: Mapping[str, Any]) -> Document:
    """Documents that meet every condition: as one of plain fields where no field is named twice, which any server finds an index for."""
    names = [name for condition in conditions for name in condition]
    if len(set(names)) == len(names):
        return {name: value for condition in conditions for name, value in condition.items()}
    return {"$and": [dict(condition) for condition in conditions]}


def _labels(filters: Filters) -> Iterator[tuple[str, list[str]]]:
    """Filters over labels, in small letters, as documents hold them."""
    for name, values in (("language", filters.languages), ("symbol_type", filters.symbol_types)):
        if values:
            yield name, sorted({packed(value).lower() for value in values})


def _in(path: str, values: Sequence[str]) -> Document:
    return {"in": {"path": path, "value": list(values)}}


def _shown_by(state: State) -> Document:
    """What a state shows, in the language of filters of vectors."""
    every = [{"namespace_id": state.namespace}, {"born": {"$lte": state.generation}}, {"died": {"$gt": state.generation}}]
    return {"$and": every}


def _shows(states: Iterable[State]) -> Document:
    """What states show, in the language of `$search`."""
    shown = [
        {
            "compound": {
                "filter": [
                    {"equals": {"path": "namespace_id", "value": state.namespace}},
                    {"range": {"path": "born", "lte": state.generation}},
                    {"range": {"path": "died", "gt": state.generation}},
                ]
            }
        }
        for state in states
    ]
    return {"compound": {"should": shown, "minimumShouldMatch": 1}}


def _boosts() -> tuple[float, ...]:
    from clew.stores.bm25 import WEIGHTS

    return WEIGHTS


def _asked_words(field: str, terms: list[str]) -> Document:
    """Those of a field's words that were asked, as often as they stand there: the only ones that have to travel."""
    split = {"$split": [field, " "]}
    return {"$filter": {"input": split, "as": "word", "cond": {"$in": ["$$word", {"$literal": terms}]}}}


def path_pattern(expressions: Iterable[str]) -> str:
    """Expressions of Python's for whole paths as one of MongoDB's."""
    return rf"\A(?:{'|'.join(f'(?:{packed(one)})' for one in expressions)})\z".replace("\0", r"\x00")


def path_key(filepath: str) -> str:
    """The form of a path that patterns are compared with."""
    return packed(nfc(filepath))
