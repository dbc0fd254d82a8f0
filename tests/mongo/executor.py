"""How would MongoDB's search answer? The commands of its search engine, over the documents of a server that has none.

As documented, an index has its own copy of what it indexes, which follows the documents later: `freeze` stops it. What it finds is looked up by
`_id` in the collection as it is now, so that what is gone is left out and what has changed is shown as it is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from bson.binary import Binary
from pymongo import MongoClient
from pymongo.errors import PyMongoError
from tests.mongo.rules import COMMANDS, SEARCHING, Index, Refused, check_command, check_pipeline, index_of

SCORE = "__score"
_META = {"$meta": "vectorSearchScore"}, {"$meta": "searchScore"}

Document = dict[str, Any]
Found = list[tuple[Any, float]]


class Executor:
    """Search for one server. Single-threaded use by the proxy, which asks in turn."""

    def __init__(self, uri: str) -> None:
        self._client: MongoClient[Document] = MongoClient(uri, directConnection=True)
        self._indexes: dict[str, dict[str, dict[str, Index]]] = {}
        self._frozen: dict[tuple[str, str], Copy] | None = None
        self._copies: dict[tuple[str, str], Copy] = {}
        self.status = "READY"

    def close(self) -> None:
        self._client.close()

    def freeze(self) -> None:
        """Let the indexes see nothing of what is written from now on."""
        self._frozen = {
            (database, collection): Copy(list(self._client[database][collection].find()))
            for database, collections in self._indexes.items()
            for collection in collections
        }

    def thaw(self) -> None:
        self._frozen = None

    def drop_all(self) -> None:
        """Forget every index."""
        self._indexes.clear()

    def takes(self, command: Mapping[str, Any]) -> bool:
        """Whether a command is one for the search engine."""
        name = next(iter(command), "")
        if name != "aggregate":
            return name in COMMANDS
        pipeline = command["pipeline"]
        return any(next(iter(stage), "") in SEARCHING for stage in pipeline) or any(
            next(iter(inner), "") in SEARCHING for stage in pipeline for inner in (stage.get("$unionWith") or {}).get("pipeline", ())
        )

    def answer(self, command: Mapping[str, Any]) -> Document:
        """The server's reply."""
        try:
            return self._aggregated(command) if "aggregate" in command else self._managed(command)
        except (Refused, PyMongoError, KeyError, TypeError, ValueError) as fault:
            return {"ok": 0.0, "errmsg": f"{type(fault).__name__}: {fault}", "code": 8, "codeName": "UnknownError"}

    def _of(self, database: str) -> dict[str, dict[str, Index]]:
        return self._indexes.setdefault(database, {})

    def _managed(self, command: Mapping[str, Any]) -> Document:
        check_command(command)
        name, database = next(iter(command)), command["$db"]
        home = self._of(database).setdefault(command[name], {})
        if name == "createSearchIndexes":
            if command[name] not in self._client[database].list_collection_names():
                raise Refused("the collection does not exist")
            made = [index_of(model) for model in command["indexes"]]
            for index in made:
                if index.name in home:
                    raise Refused(f"Duplicate Index {index.name}")
                home[index.name] = index
            return {"ok": 1.0, "indexesCreated": [{"id": index.name, "name": index.name} for index in made]}
        if command["name"] not in home:
            return {"ok": 0.0, "errmsg": "index not found", "code": 27, "codeName": "IndexNotFound"}
        if name == "dropSearchIndex":
            del home[command["name"]]
        else:
            home[command["name"]] = index_of(
                {"name": command["name"], "type": home[command["name"]].kind, "definition": command["definition"]}
            )
        return {"ok": 1.0}

    def _aggregated(self, command: Mapping[str, Any]) -> Document:
        database, collection = command["$db"], command["aggregate"]
        check_pipeline(command["pipeline"], self._of(database).get(collection, {}), self._of(database))
        found = self._run(database, collection, list(command["pipeline"]))
        return {"ok": 1.0, "cursor": {"id": 0, "ns": f"{database}.{collection}", "firstBatch": found}}

    def _run(self, database: str, collection: str, pipeline: list[Document]) -> list[Document]:
        name, said = next(iter(pipeline[0].items()))
        found = self._first(database, collection, name, said)
        plain: list[Document] = []
        for stage in pipeline[1:]:
            if "$unionWith" in stage:
                found = self._staged(database, found, plain)
                found += self._run(database, stage["$unionWith"]["coll"], list(stage["$unionWith"]["pipeline"]))
                plain = []
            else:
                plain.append(stage)
        found = self._staged(database, found, plain)
        return [{key: value for key, value in one.items() if key != SCORE} for one in found]

    def _staged(self, database: str, found: list[Document], stages: list[Document]) -> list[Document]:
        """What the server itself makes of documents by the stages that follow."""
        if not stages or not found:
            return found
        following = [_with_scores(stage) for stage in stages]
        if any("$project" in stage or "$group" in stage for stage in stages):  # a field that no stage names makes no difference then
            named = repr(following)
            found = [{key: value for key, value in one.items() if key == "_id" or key in named} for one in found]
        return list(self._client[database].aggregate([{"$documents": [{"$literal": one} for one in found]}, *following]))

    def _first(self, database: str, collection: str, name: str, said: Mapping[str, Any]) -> list[Document]:
        home = self._of(database).get(collection, {})
        if name == "$listSearchIndexes":
            return [self._told(index) for index in home.values() if said.get("name", index.name) == index.name]
        index = home.get(said.get("index", "default"))
        if index is None or self.status != "READY":
            return [{"count": {"total": 0}}] if name == "$searchMeta" else []
        seen = self._seen(database, collection)
        if name == "$vectorSearch":
            return self._looked_up(database, collection, _near(seen.documents, said, index))
        operator = {key: value for key, value in said.items() if key not in ("index", "count")}
        scored = _matching(seen, operator)
        if name == "$searchMeta":
            return [{"count": {said.get("count", {}).get("type", "lowerBound"): len(scored)}}]
        return self._looked_up(database, collection, scored)

    def _told(self, index: Index) -> Document:
        """As a server tells of it: with the defaults that it has added."""
        told = {"id": index.name, "name": index.name, "type": index.kind, "status": self.status, "queryable": self.status == "READY"}
        return {**told, "latestDefinition": {**index.definition, "numPartitions": 1}}

    def touch(self) -> None:
        """Something may have been written: copies are made again."""
        self._copies.clear()

    def _seen(self, database: str, collection: str) -> Copy:
        """What the index has a copy of: the documents as they are, unless it is frozen."""
        frozen = self._frozen
        return self._now(database, collection) if frozen is None else frozen.get((database, collection), Copy([]))

    def _now(self, database: str, collection: str) -> Copy:
        if (database, collection) not in self._copies:
            self._copies[database, collection] = Copy(list(self._client[database][collection].find()))
        return self._copies[database, collection]

    def _looked_up(self, database: str, collection: str, scored: Found) -> list[Document]:
        now = self._now(database, collection).by_key
        return [{**now[key], SCORE: score} for key, score in scored if key in now]


def _with_scores(stage: Any) -> Any:
    if isinstance(stage, Mapping):
        if "$literal" in stage:
            return stage
        return f"${SCORE}" if stage in _META else {key: _with_scores(value) for key, value in stage.items()}
    return [_with_scores(one) for one in stage] if isinstance(stage, list) else stage


# -- vectors --


def _near(documents: Iterable[Document], said: Mapping[str, Any], index: Index) -> Found:
    path, dims = said["path"], index.dims[said["path"]]
    question = np.array(_numbers(said["queryVector"]), np.float32)
    passing = [one for one in documents if _numbers(one.get(path)) is not None and _passes(one, said.get("filter", {}))]
    rows = [(one["_id"], np.array(_numbers(one[path]), np.float32)) for one in passing]
    rows = [(key, row) for key, row in rows if len(row) == dims and row.any()]  # cosine knows no vector without a direction
    scored = [(key, _cosine(row, question)) for key, row in rows]
    return sorted(((key, float(np.float32((1 + score) / 2))) for key, score in scored), key=lambda one: -one[1])[: said["limit"]]


def _cosine(one: Any, other: Any) -> float:
    length = float(np.linalg.norm(one.astype(np.float64)) * np.linalg.norm(other.astype(np.float64)))
    return float(one.astype(np.float64) @ other.astype(np.float64)) / length if length else 0.0


def _numbers(value: Any) -> Any:
    if isinstance(value, Binary) and value.subtype == 9:
        return value.as_vector().data
    return value if isinstance(value, list) else None


def _passes(document: Document, query: Mapping[str, Any]) -> bool:
    return all(_holds(document, name, value) for name, value in query.items())


def _holds(document: Document, name: str, value: Any) -> bool:
    if name == "$and":
        return all(_passes(document, one) for one in value)
    if name == "$or":
        return any(_passes(document, one) for one in value)
    if name == "$nor":
        return not any(_passes(document, one) for one in value)
    return _compares(document.get(name), value)


def _compares(held: Any, value: Any) -> bool:
    if not isinstance(value, Mapping):
        return bool(held == value)
    tests = {
        "$eq": lambda asked: held == asked,
        "$ne": lambda asked: held != asked,
        "$in": lambda asked: held in asked,
        "$nin": lambda asked: held not in asked,
        "$gt": lambda asked: held is not None and held > asked,
        "$gte": lambda asked: held is not None and held >= asked,
        "$lt": lambda asked: held is not None and held < asked,
        "$lte": lambda asked: held is not None and held <= asked,
        "$not": lambda asked: not _compares(held, asked),
    }
    return all(tests[name](asked) for name, asked in value.items())


# -- words --


class Copy:
    """An index's copy of documents, with the places of every word of a field."""

    def __init__(self, documents: list[Document]) -> None:
        self.documents = documents
        self.by_key = {one["_id"]: one for one in documents}
        self._fields: dict[str, tuple[dict[str, dict[int, int]], list[int]]] = {}

    def words(self, path: str) -> tuple[dict[str, dict[int, int]], list[int]]:
        """How often each word stands in which documents, and how many words each document has."""
        if path not in self._fields:
            places: dict[str, dict[int, int]] = {}
            lengths = []
            for place, one in enumerate(self.documents):
                words = str(_at(one, path) or "").split()
                lengths.append(len(words))
                for word, times in Counter(words).items():
                    places.setdefault(word, {})[place] = times
            self._fields[path] = (places, lengths)
        return self._fields[path]


def _matching(copy: Copy, operator: Mapping[str, Any]) -> Found:
    scores = _scored(operator, copy)
    return sorted(((copy.documents[place]["_id"], score) for place, score in scores.items()), key=lambda one: -one[1])


def _scored(operator: Mapping[str, Any], copy: Copy) -> dict[int, float]:
    """The places of the documents that match, with what the operator adds to their score."""
    name, how = next(iter(operator.items()))
    if name == "compound":
        return _compound(how, copy)
    if name == "text":
        return _text(how, copy)
    if name == "range":
        bounds = {f"${bound}": how[bound] for bound in ("gt", "gte", "lt", "lte") if bound in how}
        return {place: 1.0 for place, one in enumerate(copy.documents) if _compares(_at(one, how["path"]), bounds)}
    values = set(how["value"] if isinstance(how["value"], list) else [how["value"]])
    return {place: 1.0 for place, one in enumerate(copy.documents) if _at(one, how["path"]) in values}


def _compound(how: Mapping[str, Any], copy: Copy) -> dict[int, float]:
    scores: Counter[int] = Counter()
    passing = set(range(len(copy.documents)))
    for kind in ("filter", "must"):
        for one in how.get(kind, ()):
            found = _scored(one, copy)
            passing &= found.keys()
            scores.update(found if kind == "must" else {})
    for one in how.get("mustNot", ()):
        passing -= _scored(one, copy).keys()
    matched: Counter[int] = Counter()
    for one in how.get("should", ()):
        found = _scored(one, copy)
        scores.update(found)
        matched.update(found.keys())
    least = how.get("minimumShouldMatch", 0 if how.get("filter") or how.get("must") else 1)
    return {place: float(scores[place]) for place in sorted(passing) if matched[place] >= least}


def _text(how: Mapping[str, Any], copy: Copy) -> dict[int, float]:
    """BM25 as Lucene computes it (k1 1.2, b 0.75), per field; `any` is what a query of several words means."""
    queries = how["query"] if isinstance(how["query"], list) else [how["query"]]
    asked = {word for query in queries for word in query.split()}
    boost = how.get("score", {}).get("boost", {}).get("value", 1)
    scores: Counter[int] = Counter()
    for path in how["path"] if isinstance(how["path"], list) else [how["path"]]:
        places, lengths = copy.words(path)
        average = sum(lengths) / max(len(lengths), 1) or 1.0
        for word in sorted(asked):
            held = places.get(word, {})
            idf = math.log(1 + (len(lengths) - len(held) + 0.5) / (len(held) + 0.5))
            for place, times in held.items():
                scores[place] += boost * idf * times / (times + 1.2 * (0.25 + 0.75 * lengths[place] / average))  # type: ignore[assignment]
    return dict(scores)


def _at(document: Any, path: str) -> Any:
    for name in path.split("."):
        document = document.get(name) if isinstance(document, Mapping) else None
    return document
