"""What does MongoDB's public documentation allow of a search command? Written from it, and from nothing of clew's.

Sources (mongodb.com/docs): atlas-vector-search/vector-search-type (index fields and bounds), atlas-vector-search/vector-search-stage
($vectorSearch: fields, filter operators, first-stage rule), atlas-search/aggregation-stages/search and searchMeta, operators-collectors/
compound, text, in, equals, range, atlas-search/counting, field-types/token-type, reference/command/createSearchIndexes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bson.binary import Binary

SEARCHING = ("$search", "$searchMeta", "$vectorSearch", "$rankFusion", "$listSearchIndexes")
"""Stages that may only stand first."""
COMMANDS = ("createSearchIndexes", "updateSearchIndex", "dropSearchIndex")
SIMILARITIES = ("euclidean", "cosine", "dotProduct")
ANALYZERS = ("lucene.standard", "lucene.simple", "lucene.whitespace", "lucene.keyword", "lucene.english")
COMPARING = ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin")
JOINING = ("$and", "$or", "$nor")
MOST_CLAUSES = 1024
"""Lucene's bound of a boolean query."""


class Refused(Exception):
    """A command that the documentation does not allow."""


@dataclass(frozen=True)
class Index:
    """A search index: `paths` maps a field to its type, `dims` a vector's to its length."""

    name: str
    kind: str
    definition: Mapping[str, Any]
    paths: Mapping[str, str]
    dims: Mapping[str, int] = field(default_factory=dict)


def demand(condition: object, message: str) -> None:
    if not condition:
        raise Refused(message)


def only(found: Mapping[str, Any], *names: str) -> None:
    demand(found.keys() <= set(names), f"unknown fields {sorted(set(found) - set(names))}; allowed are {sorted(names)}")


def whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def index_of(model: Mapping[str, Any]) -> Index:
    """The index that an element of `createSearchIndexes.indexes` defines."""
    only(model, "name", "type", "definition")
    demand(isinstance(model.get("name", "default"), str), "an index's name is a string")
    kind = model.get("type", "search")
    demand(kind in ("search", "vectorSearch"), f"no type of index: {kind}")
    demand(isinstance(model.get("definition"), Mapping), "an index needs a definition")
    paths, dims = _vector_paths(model["definition"]) if kind == "vectorSearch" else (_word_paths(model["definition"]), {})
    return Index(model.get("name", "default"), kind, model["definition"], paths, dims)


def _vector_paths(definition: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, int]]:
    only(definition, "fields")
    demand(isinstance(definition.get("fields"), list) and definition["fields"], "fields is an array that is not empty")
    paths: dict[str, str] = {}
    dims: dict[str, int] = {}
    for one in definition["fields"]:
        demand(isinstance(one.get("path"), str) and one["path"] and one["path"] not in paths, f"a path is named once: {one}")
        demand(one.get("type") in ("vector", "filter"), f"no type of field: {one}")
        paths[one["path"]] = one["type"]
        if one["type"] == "filter":
            only(one, "type", "path")
            continue
        only(one, "type", "path", "numDimensions", "similarity", "quantization", "hnswOptions")
        demand(whole(one.get("numDimensions")) and 1 <= one["numDimensions"] <= 8192, "numDimensions is 1 to 8192")
        demand(one.get("similarity") in SIMILARITIES, f"no similarity: {one.get('similarity')}")
        demand(one.get("quantization", "none") in ("none", "scalar", "binary"), "no quantization")
        options = one.get("hnswOptions", {})
        only(options, "maxEdges", "numEdgeCandidates")
        demand(whole(options.get("maxEdges", 16)) and 16 <= options.get("maxEdges", 16) <= 64, "maxEdges is 16 to 64")
        candidates = options.get("numEdgeCandidates", 100)
        demand(whole(candidates) and 100 <= candidates <= 3200, "numEdgeCandidates is 100 to 3200")
        dims[one["path"]] = one["numDimensions"]
    demand(dims, "at least one field is a vector")
    return paths, dims


def _word_paths(definition: Mapping[str, Any]) -> dict[str, str]:
    only(definition, "analyzer", "searchAnalyzer", "mappings", "analyzers", "synonyms", "storedSource", "numPartitions")
    mappings = definition.get("mappings")
    demand(isinstance(mappings, Mapping), "mappings is a document")
    assert isinstance(mappings, Mapping)
    return dict(_mapped(mappings, ""))


def _mapped(mapping: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    demand(isinstance(mapping.get("dynamic", False), bool), "dynamic is true or false")
    for name, one in mapping.get("fields", {}).items():
        kind = one.get("type")
        if kind == "document":
            only(one, "type", "dynamic", "fields")
            yield from _mapped(one, f"{prefix}{name}.")
            continue
        demand(kind in ("token", "string", "number", "boolean", "date", "objectId", "uuid"), f"no type of field: {one}")
        if kind == "token":
            only(one, "type", "normalizer")
            demand(one.get("normalizer", "none") in ("none", "lowercase"), "no normalizer")
        elif kind == "string":
            only(one, "type", "analyzer", "searchAnalyzer", "indexOptions", "store", "norms", "ignoreAbove", "multi")
            demand(all(one.get(which, "lucene.standard") in ANALYZERS for which in ("analyzer", "searchAnalyzer")), f"no analyzer: {one}")
        elif kind == "number":
            only(one, "type", "representation", "indexIntegers", "indexDoubles")
        else:
            only(one, "type")
        yield f"{prefix}{name}", kind


def check_command(command: Mapping[str, Any]) -> None:
    """The commands that manage search indexes, by their form."""
    name = next(iter(command))
    said = {
        key: value for key, value in command.items() if key[0] != "$" and key not in (name, "lsid", "txnNumber", "comment", "writeConcern")
    }
    demand(isinstance(command[name], str) and command[name], f"{name} names a collection")
    if name == "createSearchIndexes":
        only(said, "indexes")
        demand(isinstance(said.get("indexes"), list) and said["indexes"], "indexes is an array that is not empty")
        for model in said["indexes"]:
            index_of(model)
    elif name == "updateSearchIndex":
        only(said, "id", "name", "definition")
        demand(("id" in said) != ("name" in said) and isinstance(said.get("definition"), Mapping), "an id or a name, and a definition")
    else:
        only(said, "id", "name")
        demand(("id" in said) != ("name" in said), "an id or a name")


def check_pipeline(pipeline: list[Mapping[str, Any]], indexes: Mapping[str, Index], others: Mapping[str, Mapping[str, Index]]) -> None:
    """A pipeline over a collection with these indexes; `others` are those of all collections, by name."""
    metas = {"$search": {"searchScore"}, "$vectorSearch": {"vectorSearchScore"}}.get(next(iter(pipeline[0])), set()) if pipeline else set()
    for place, stage in enumerate(pipeline):
        demand(len(stage) == 1, f"a stage has one name: {list(stage)}")
        name, said = next(iter(stage.items()))
        if name in SEARCHING:
            demand(place == 0, f"{name} must be the first stage")
            check_stage(name, said, indexes)
            continue
        if name == "$unionWith":
            check_pipeline(said["pipeline"], others.get(said["coll"], {}), others)
            continue
        if name == "$facet" or (name == "$lookup" and "pipeline" in said):
            inner = [one for some in (said.values() if name == "$facet" else [said["pipeline"]]) for one in some]
            demand(not any(next(iter(one)) in SEARCHING for one in inner), f"no search inside of {name}")
        for meta in _metas(said):
            demand(meta in metas, f"$meta {meta} of a pipeline that has none")


def _metas(said: Any) -> Iterator[str]:
    if isinstance(said, Mapping):
        if "$literal" in said:
            return
        if "$meta" in said:
            yield said["$meta"]
        for one in said.values():
            yield from _metas(one)
    elif isinstance(said, list):
        for one in said:
            yield from _metas(one)


def check_stage(name: str, said: Mapping[str, Any], indexes: Mapping[str, Index]) -> None:
    """A first stage that searches."""
    if name == "$listSearchIndexes":
        only(said, "id", "name")
        demand(not {"id", "name"} <= said.keys(), "an id or a name, not both")
    elif name == "$vectorSearch":
        _check_vector(said, indexes)
    elif name in ("$search", "$searchMeta"):
        _check_search(name, said, indexes)
    else:
        raise Refused(f"{name} is not known to these rules")


def _check_vector(said: Mapping[str, Any], indexes: Mapping[str, Index]) -> None:
    only(said, "exact", "filter", "index", "limit", "numCandidates", "path", "queryVector", "explainOptions")
    demand(isinstance(said.get("index"), str) and isinstance(said.get("path"), str), "index and path are strings")
    demand(whole(said.get("limit")) and said["limit"] >= 1, "limit is a whole number of 1 or more")
    exact = said.get("exact", False)
    demand(isinstance(exact, bool), "exact is true or false")
    if exact:
        demand("numCandidates" not in said, "numCandidates must be omitted when exact is true")
    else:
        candidates = said.get("numCandidates")
        demand(whole(candidates), "numCandidates is required")
        assert isinstance(candidates, int)
        demand(said["limit"] <= candidates <= 10_000, "numCandidates is at least limit and at most 10000")
    vector = said.get("queryVector")
    if isinstance(vector, Binary):
        vector = vector.as_vector().data
    demand(
        isinstance(vector, list) and all(isinstance(one, float | int) and not isinstance(one, bool) for one in vector),
        "queryVector is numbers",
    )
    index = indexes.get(said["index"])
    if index is None:
        return  # documented: no such index is no error, and no result
    demand(index.kind == "vectorSearch", "$vectorSearch needs an index of type vectorSearch")
    demand(index.paths.get(said["path"]) == "vector", f"{said['path']} is not indexed as a vector")
    assert isinstance(vector, list)
    demand(len(vector) == index.dims[said["path"]], f"queryVector has {len(vector)} numbers, the index {index.dims[said['path']]}")
    if "filter" in said:
        _check_filter(said["filter"], {path for path, kind in index.paths.items() if kind == "filter"})


def _check_filter(said: Any, paths: set[str]) -> None:
    demand(isinstance(said, Mapping), "a filter is a document")
    for name, value in said.items():
        if name in JOINING:
            demand(isinstance(value, list) and value, f"{name} takes an array that is not empty")
            for one in value:
                _check_filter(one, paths)
            continue
        demand(not name.startswith("$"), f"the operator {name} is not allowed in a filter")
        demand(name in paths, f"{name} is not indexed as a filter")
        _check_comparison(value)


def _check_comparison(value: Any) -> None:
    if not isinstance(value, Mapping):
        demand(isinstance(value, str | bool | int | float), f"no value for a filter: {value!r}")
        return
    for name, one in value.items():
        if name == "$not":
            _check_comparison(one)
            continue
        demand(name in COMPARING, f"the operator {name} is not allowed in a filter")
        if name in ("$in", "$nin"):
            demand(isinstance(one, list) and len({type(item) for item in one}) <= 1, f"{name} takes an array of one type")
        for item in one if isinstance(one, list) else [one]:
            demand(isinstance(item, str | bool | int | float), f"no value for a filter: {item!r}")


def _check_search(name: str, said: Mapping[str, Any], indexes: Mapping[str, Index]) -> None:
    options = (
        "index",
        "count",
        "highlight",
        "concurrent",
        "searchAfter",
        "searchBefore",
        "scoreDetails",
        "sort",
        "returnStoredSource",
        "returnScope",
    )
    operators = [key for key in said if key not in options]
    demand(len(operators) == 1, f"{name} takes one operator: {operators}")
    if "count" in said:
        only(said["count"], "type", "threshold")
        demand(said["count"].get("type", "lowerBound") in ("lowerBound", "total"), "no type of count")
    index = indexes.get(said.get("index", "default"))
    if index is None:
        return
    demand(index.kind == "search", f"{name} needs an index of type search")
    demand(_clauses({operators[0]: said[operators[0]]}, index) <= MOST_CLAUSES, "too many clauses")


def _clauses(said: Mapping[str, Any], index: Index) -> int:
    """Check an operator; returns how many clauses of Lucene's it becomes."""
    demand(len(said) == 1, f"an operator has one name: {list(said)}")
    name, how = next(iter(said.items()))
    if name == "compound":
        only(how, "must", "mustNot", "should", "filter", "minimumShouldMatch", "score", "doesNotAffect")
        kinds = [kind for kind in ("must", "mustNot", "should", "filter") if kind in how]
        demand(kinds, "compound needs a clause")
        demand(all(isinstance(how[kind], list) and how[kind] for kind in kinds), "a clause is an array that is not empty")
        least = how.get("minimumShouldMatch", 0)
        demand(whole(least) and least <= len(how.get("should", ())), "minimumShouldMatch is at most the number of should clauses")
        return sum(_clauses(one, index) for kind in kinds for one in how[kind])
    allowed = {
        "text": ("query", "path", "fuzzy", "matchCriteria", "score", "synonyms"),
        "in": ("path", "value", "score"),
        "equals": ("path", "value", "score"),
        "range": ("path", "gt", "gte", "lt", "lte", "score"),
    }
    demand(name in allowed, f"the operator {name} is not known to these rules")
    only(how, *allowed[name])
    _check_score(how.get("score", {}))
    paths = how.get("path")
    for path in paths if isinstance(paths, list) else [paths]:
        demand(path in index.paths, f"{path} is not indexed")
        _check_value(name, index.paths[path], how)
    if name != "text":
        return 1
    queries = how["query"] if isinstance(how["query"], list) else [how["query"]]
    return sum(len(query.split()) for query in queries) * (len(paths) if isinstance(paths, list) else 1)


def _check_score(score: Mapping[str, Any]) -> None:
    only(score, "boost", "constant", "function")
    if "boost" in score:
        only(score["boost"], "value", "path", "undefined")
        demand(isinstance(score["boost"].get("value"), float | int) and score["boost"]["value"] > 0, "a boost is a number above 0")


def _check_value(name: str, kind: str, how: Mapping[str, Any]) -> None:
    if name == "text":
        demand(kind == "string", "text needs a field of type string")
        queries = how.get("query") if isinstance(how.get("query"), list) else [how.get("query")]
        demand(queries and all(isinstance(query, str) and query for query in queries), "query is a string, or strings, not empty")
        return
    if name == "range":
        bounds = [how[bound] for bound in ("gt", "gte", "lt", "lte") if bound in how]
        demand(
            bounds and not {"gt", "gte"} <= how.keys() and not {"lt", "lte"} <= how.keys(),
            "range takes one lower bound, one upper bound, or both",
        )
        demand(
            kind in ("number", "token") and all(isinstance(one, int | float if kind == "number" else str) for one in bounds),
            "bounds of the field's type",
        )
        return
    demand("value" in how, f"{name} needs a value")
    values = how["value"] if isinstance(how["value"], list) else [how["value"]]
    demand(name == "in" or not isinstance(how["value"], list), "equals takes one value")
    demand(values and len({type(value) for value in values}) == 1, "values are of one type, and there is one at least")
    fits = {"token": str, "number": int | float, "boolean": bool}.get(kind)
    demand(
        fits is not None and all(isinstance(value, fits) for value in values), f"{name} cannot ask a field of type {kind} for {values[0]!r}"
    )
