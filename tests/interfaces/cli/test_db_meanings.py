"""Do a language model, metrics and a glossary make `clew db search` find what the schema itself does not say?"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.interfaces.conftest import Done
from tests.language_server import language_server
from tests.servers import free_port

CRYPTIC = """
CREATE TABLE t_047 (id int PRIMARY KEY, dt date, amt numeric, cst int);
CREATE TABLE t_048 (id int PRIMARY KEY, nm text);
CREATE TABLE t_049 (id int PRIMARY KEY, plate text);
"""
SAID = {
    "tables": [
        {
            "table": "t_047",
            "description": "One row an invoice.",
            "synonyms": ["invoices", "bills"],
            "domain": "finance",
            "columns": [{"column": "amt", "description": "Amount due.", "synonyms": ["debt"]}],
        },
        {"table": "t_048", "description": "One row a patient.", "synonyms": ["patients"]},
        {"table": "t_049", "description": "One row a vehicle.", "synonyms": ["cars"]},
    ]
}
Clew = Callable[..., Done]


@pytest.fixture
def cryptic(project: Path, tmp_path: Path, clew: Clew, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    (project / "old.sql").write_text(CRYPTIC)
    assert clew("db", "add", "old", "ddl:old.sql?dialect=postgres").code == 0
    return project


def first(clew: Clew, question: str) -> str:
    """The best table within a budget that holds one."""
    found = clew("db", "search", question, "--limit", "1", "--max-tokens", "60", "--json").json
    return str(found["tables"][0]["table"]) if found["tables"] else ""


def test_tables_are_described_once_and_found_by_what_was_said(cryptic: Path, clew: Clew, monkeypatch: pytest.MonkeyPatch) -> None:
    with language_server(SAID) as server:
        monkeypatch.setenv("CLEW_LLM", "openai:small")
        monkeypatch.setenv("CLEW_LLM_URL", server.address)
        done = clew("db", "index", "--enrich")
        assert done.code == 0 and "3 tables described by the language model" in done.out
        again = clew("db", "index", "--enrich", "--json")
        assert again.json["databases"][0]["described"] == 0 and len(server.requests) == 1
    assert first(clew, "unpaid bills") == "t_047"
    assert first(clew, "list of cars") == "t_049"
    assert first(clew, "how many patients") == "t_048"


def test_without_a_language_model_a_schema_is_indexed_all_the_same_and_that_is_said(cryptic: Path, clew: Clew) -> None:
    done = clew("db", "index", "--enrich", "--json")
    assert done.code == 0
    (database,) = done.json["databases"]
    assert database["tables"] == 3 and database["chunks"]["embedded"] > 0
    assert database["warnings"] == ["not described by a language model: no language model is set"]


def test_what_was_described_goes_with_its_database(cryptic: Path, clew: Clew, monkeypatch: pytest.MonkeyPatch) -> None:
    with language_server(SAID, SAID) as server:
        monkeypatch.setenv("CLEW_LLM", "openai:small")
        monkeypatch.setenv("CLEW_LLM_URL", server.address)
        clew("db", "index", "--enrich")
        clew("db", "remove", "old")
        clew("db", "add", "old", "ddl:old.sql?dialect=postgres")
        assert clew("db", "index", "--enrich", "--json").json["databases"][0]["described"] == 3


def test_metrics_and_words_of_the_business_lead_to_tables_and_metrics_are_in_the_answer(cryptic: Path, clew: Clew) -> None:
    (cryptic / "clew.toml").write_text('metrics = ["m.yml"]\n\n[[terms]]\nterm = "lorry"\ntable = "t_049"\n')
    (cryptic / "m.yml").write_text("metrics:\n  outstanding debt: {expression: sum(t_047.amt), grain: day}\n")
    answer = clew("db", "search", "outstanding debt by day", "--json").json
    assert [one["name"] for one in answer["metrics"]] == ["outstanding debt"]
    assert answer["tables"][0]["table"] == "t_047"
    assert first(clew, "which lorry") == "t_049"
    (cryptic / "m.yml").write_text("metrics:\n  outstanding debt: {expression: sum(t_047.amt), filter: t_047.cst > 0, grain: day}\n")
    assert (
        "metric outstanding debt = sum(t_047.amt) where t_047.cst > 0  (grain: day)" in clew("db", "search", "outstanding debt by day").out
    )
    (cryptic / "m.yml").write_text("metrics:\n  broken: {}\n")
    answer = clew("db", "search", "outstanding debt by day", "--json").json
    assert any("broken" in warning for warning in answer["warnings"]), json.dumps(answer["warnings"])


def test_databases_keep_their_vectors_in_chroma_where_the_project_says_so(
    cryptic: Path, clew: Clew, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_STORE", "chroma")
    monkeypatch.setattr("clew.index.schema_refresh.SETTLED_FROM", 1)
    assert clew("db", "index").code == 0
    assert (cryptic / ".clew" / "databases" / "chunks" / "chunks.chroma" / "chroma.sqlite3").is_file()
    assert clew("db", "search", "plate of a car", "--json").json["tables"]


WIDE = "".join(f"CREATE TABLE part_{n} (id int PRIMARY KEY, label_{n} text, weight_{n} numeric, colour_{n} text);\n" for n in range(60))


@pytest.fixture
def wide(project: Path, tmp_path: Path, clew: Clew, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A schema that is too large to be shown whole."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    (project / "wide.sql").write_text(WIDE)
    assert clew("db", "add", "wide", "ddl:wide.sql?dialect=postgres").code == 0
    assert clew("db", "index").code == 0
    return project


def warnings(clew: Clew) -> list[str]:
    answer = clew("db", "search", "weight of part 7", "--limit", "3", "--max-tokens", "300", "--json").json
    assert answer["tables"][0]["table"] == "part_7"
    return list(answer["warnings"])


def test_vectors_of_another_model_are_said_and_indexing_again_repairs(wide: Path, clew: Clew, monkeypatch: pytest.MonkeyPatch) -> None:
    assert warnings(clew) == []
    monkeypatch.setenv("CLEW_VECTOR_DIMS", "64")
    assert any("another model" in line and "256 numbers and not 64" in line for line in warnings(clew))
    assert clew("db", "index").code == 0
    assert warnings(clew) == []


def test_a_model_that_fails_while_indexing_leaves_the_vectors_before_and_that_is_said(
    wide: Path, clew: Clew, monkeypatch: pytest.MonkeyPatch
) -> None:
    (wide / "wide.sql").write_text(WIDE.replace("colour_3", "color_3"))
    with monkeypatch.context() as broken:
        broken.setattr("clew.adapters.embedders.static.StaticEmbedder.embed_documents", lambda *_: 1 / 0)
        done = clew("db", "index")
        assert done.code == 0 and "not embedded" in done.err
    assert any("another version" in line for line in warnings(clew))
    assert clew("db", "index").code == 0
    assert warnings(clew) == []


def test_a_chroma_that_is_away_is_said_and_costs_no_answer(wide: Path, clew: Clew, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_STORE", f"chroma:http://127.0.0.1:{free_port()}")
    monkeypatch.setattr("clew.index.schema_refresh.SETTLED_FROM", 1)
    (wide / "wide.sql").write_text(WIDE.replace("colour_3", "color_3"))
    done = clew("db", "index")
    assert done.code == 0 and "the vector table could not be written" in done.err
    assert warnings(clew) == []


def test_links_that_nobody_declared_are_embedded_as_relationships_too(
    project: Path, tmp_path: Path, clew: Clew, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    (project / "bare.sql").write_text(
        "CREATE TABLE customers (id int PRIMARY KEY); CREATE TABLE orders (id int PRIMARY KEY, customer_id int);"
    )
    clew("db", "add", "bare", "ddl:bare.sql?dialect=postgres")
    assert clew("db", "index", "--json").json["databases"][0]["chunks"]["embedded"] == 1 + 2 + 3 + 1


def test_a_project_alone_shows_its_schema_to_no_language_model_on_another_machine(cryptic: Path, clew: Clew) -> None:
    (cryptic / "clew.toml").write_text('llm = "openai:x"\nllm_url = "https://models.example/v1"\n')
    done = clew("db", "index", "--enrich")
    assert done.code == 0 and "that is for you to say" in done.err


LAYER = """
semantic_models:
  - name: invoices
    model: ref('t_047')
    defaults: {agg_time_dimension: dt}
    dimensions: [{name: dt, type: time, type_params: {time_granularity: day}}]
    measures: [{name: owed, agg: sum, expr: amt}]
metrics:
  - {name: receivables, label: Money owed, description: What customers still owe., type: simple, type_params: {measure: owed}}
"""


def test_a_metric_of_dbts_semantic_layer_is_embedded_and_answers_a_question(cryptic: Path, clew: Clew) -> None:
    (cryptic / "models").mkdir()
    (cryptic / "models" / "layer.yml").write_text(LAYER)
    (cryptic / "clew.toml").write_text('metrics = ["models"]\n')
    assert clew("db", "index", "--json").json["databases"][0]["chunks"]["embedded"] == 1 + 3 + 8 + 1
    answer = clew("db", "search", "money owed", "--limit", "1", "--max-tokens", "60", "--json").json
    (metric,) = answer["metrics"]
    assert (metric["name"], metric["expression"], metric["grain"]) == ("receivables", "sum(amt)", ["day"])
    assert answer["tables"][0]["table"] == "t_047"
