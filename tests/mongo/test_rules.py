"""Do the rules of the tests refuse what MongoDB's documentation does not allow?"""

from __future__ import annotations

from typing import Any

import pytest
from tests.mongo.rules import Refused, check_command, check_pipeline, index_of

VECTOR = {"type": "vector", "path": "v", "numDimensions": 3, "similarity": "cosine"}
VECTORS = index_of({"name": "vectors", "type": "vectorSearch", "definition": {"fields": [VECTOR, {"type": "filter", "path": "n"}]}})
FIELDS = {"n": {"type": "token"}, "w": {"type": "string", "analyzer": "lucene.whitespace"}, "k": {"type": "number"}}
WORDS = index_of({"name": "words", "type": "search", "definition": {"mappings": {"dynamic": False, "fields": FIELDS}}})
INDEXES = {"vectors": VECTORS, "words": WORDS}
NEAR: dict[str, Any] = {"index": "vectors", "path": "v", "queryVector": [1.0, 0.0, 0.0], "limit": 5, "numCandidates": 100}
TEXT = {"text": {"query": "a b", "path": "w"}}


def near(**changes: Any) -> list[dict[str, Any]]:
    return [{"$vectorSearch": {name: value for name, value in {**NEAR, **changes}.items() if value is not None}}]


def search(operator: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    return [{"$search": {"index": "words", **operator, **more}}]


ALLOWED = [
    near(),
    near(exact=True, numCandidates=None),
    near(limit=100, numCandidates=10_000),
    near(filter={"n": "x"}),
    near(filter={"$and": [{"n": {"$in": ["a", "b"]}}, {"$or": [{"n": {"$not": {"$gte": "c"}}}, {"n": {"$ne": "d"}}]}]}),
    near(index="not there", path="w"),
    [*near(), {"$match": {"n": {"$regex": "x"}}}, {"$project": {"score": {"$meta": "vectorSearchScore"}}}],
    search(TEXT),
    search({"compound": {"filter": [{"in": {"path": "n", "value": ["a"]}}], "should": [TEXT], "minimumShouldMatch": 1}}),
    search({"range": {"path": "k", "gt": 3, "lte": 9}}),
    [
        {"$searchMeta": {"index": "words", "count": {"type": "total"}, "equals": {"path": "k", "value": 3}}},
        {"$unionWith": {"coll": "c", "pipeline": search(TEXT)}},
    ],
    [{"$listSearchIndexes": {"name": "words"}}],
]
REFUSED = [
    near(numCandidates=None),
    near(exact=True),
    near(limit=0),
    near(limit=101),
    near(limit=5.0),
    near(numCandidates=10_001),
    near(queryVector=[1.0, 0.0]),
    near(queryVector="text"),
    near(path="n"),
    near(index="words"),
    near(ef=100),
    near(filter={"other": 1}),
    near(filter={"n": {"$regex": "x"}}),
    near(filter={"n": {"$exists": True}}),
    near(filter={"n": {"$in": ["a", 1]}}),
    near(filter={"$expr": {"$eq": ["$n", "a"]}}),
    [{"$match": {}}, *near()],
    [{"$facet": {"a": near()}}],
    [{"$lookup": {"from": "c", "pipeline": near(), "as": "x"}}],
    [*near(), {"$project": {"score": {"$meta": "searchScore"}}}],
    search({}),
    search({**TEXT, "in": {"path": "n", "value": ["a"]}}),
    search({"text": {"query": "", "path": "w"}}),
    search({"text": {"query": "a", "path": "n"}}),
    search({"text": {"query": "a", "path": "absent"}}),
    search({"text": {"query": "a", "path": "w", "boost": 3}}),
    search({"text": {"query": " ".join(["a"] * 1_025), "path": "w"}}),
    search({"in": {"path": "w", "value": ["a"]}}),
    search({"in": {"path": "n", "value": ["a", 1]}}),
    search({"in": {"path": "n", "value": []}}),
    search({"equals": {"path": "k", "value": "3"}}),
    search({"range": {"path": "k", "gt": 3, "gte": 3}}),
    search({"compound": {}}),
    search({"compound": {"filter": []}}),
    search({"compound": {"should": [TEXT], "minimumShouldMatch": 2}}),
    search({"regex": {"path": "w", "query": ".*"}}),
    search(TEXT, count={"type": "exact"}),
    [*search(TEXT), {"$project": {"score": {"$meta": "vectorSearchScore"}}}],
    [{"$listSearchIndexes": {"name": "words", "id": "x"}}],
]


@pytest.mark.parametrize("pipeline", ALLOWED)
def test_what_is_documented_is_allowed(pipeline: list[dict[str, Any]]) -> None:
    check_pipeline(pipeline, INDEXES, {"c": INDEXES})


@pytest.mark.parametrize("pipeline", REFUSED)
def test_what_is_not_documented_is_refused(pipeline: list[dict[str, Any]]) -> None:
    with pytest.raises(Refused):
        check_pipeline(pipeline, INDEXES, {"c": INDEXES})


def vectors(**changes: Any) -> dict[str, Any]:
    return {"name": "x", "type": "vectorSearch", "definition": {"fields": [{**VECTOR, **changes}]}}


@pytest.mark.parametrize(
    "model",
    [
        vectors(numDimensions=0),
        vectors(numDimensions=8193),
        vectors(numDimensions="3"),
        vectors(similarity="l2"),
        vectors(hnswOptions={"maxEdges": 15}),
        vectors(hnswOptions={"maxEdges": 65}),
        vectors(hnswOptions={"numEdgeCandidates": 99}),
        vectors(hnswOptions={"numEdgeCandidates": 3201}),
        vectors(hnswOptions={"m": 16}),
        vectors(quantization="half"),
        vectors(type="knnVector"),
        vectors(extra=1),
        {"name": "x", "type": "vectorSearch", "definition": {"fields": []}},
        {"name": "x", "type": "vectorSearch", "definition": {"fields": [{"type": "filter", "path": "n"}]}},
        {"name": "x", "type": "vectorSearch", "definition": {"fields": [VECTOR, {"type": "filter", "path": "n", "analyzer": "x"}]}},
        {"name": "x", "type": "vectorSearch", "definition": {"fields": [VECTOR, VECTOR]}},
        {"name": "x", "type": "vector", "definition": {"fields": [VECTOR]}},
        {"name": "x", "type": "search", "definition": {}},
        {"name": "x", "type": "search", "definition": {"mappings": {"fields": {"w": {"type": "string", "analyzer": "whitespace"}}}}},
        {"name": "x", "type": "search", "definition": {"mappings": {"fields": {"w": {"type": "keyword"}}}}},
        {"name": "x", "type": "search", "definition": {"mappings": {"fields": {"w": {"type": "token", "analyzer": "lucene.keyword"}}}}},
    ],
)
def test_a_definition_that_is_not_documented_is_refused(model: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        check_command({"createSearchIndexes": "c", "indexes": [model]})


def test_commands_need_what_they_name() -> None:
    check_command(
        {
            "createSearchIndexes": "c",
            "indexes": [vectors(hnswOptions={"maxEdges": 64, "numEdgeCandidates": 3200}, numDimensions=8192)],
            "$db": "x",
        }
    )
    check_command({"updateSearchIndex": "c", "name": "x", "definition": {}})
    for wrong in (
        {"createSearchIndexes": "c"},
        {"updateSearchIndex": "c", "name": "x"},
        {"dropSearchIndex": "c"},
        {"dropSearchIndex": "c", "name": "x", "id": "y"},
    ):
        with pytest.raises(Refused):
            check_command(wrong)
