"""Are definitions found where a grammar has it hard?"""

from __future__ import annotations

import json
from typing import Any

import pytest

Project = Any


def every_line_is_found(project: Project, path: str, words: dict[int, str]) -> None:
    """Each of these lines is in a result for a word that stands on it."""
    for line, word in words.items():
        project.find(word, path, (line, line), "--in", path, top=10)


DECORATED = """from web import route, cache, retry


def without_decorator():
    return 0


@route("/v1/martens", methods=["GET"])
@cache(
    ttl=30,
)
def list_martens(request):
    return request.all()


class MartenService:
    @property
    def den_size(self):
        return self._n

    @staticmethod
    @retry(times=3)
    async def fetch_den(url):
        return url

    @den_size.setter
    def den_size(self, n):
        self._n = n


@dataclass(frozen=True)
class MartenRecord:
    name: str
"""


@pytest.fixture
def decorated(project: Project) -> Project:
    """Decorators in Python and TypeScript."""
    project.write("api.py", DECORATED)
    project.write(
        "card.ts",
        '@Component({ selector: "marten-card" })\nexport class MartenCard {\n  @Input() name: string;\n  @HostListener("click") onMartenClick() { return this.name; }\n}\n',
    )
    project.index()
    return project


@pytest.mark.parametrize("query", ["list_martens", "/v1/martens"])
def test_a_definition_begins_at_its_first_decorator(decorated: Project, query: str) -> None:
    found = decorated.find(query, "api.py", (8, 13), top=1)
    assert (found["line_start"], found["line_end"]) == (8, 13)
    assert found["symbol_name"] == "list_martens"
    assert '@route("/v1/martens"' in found["code_snippet"]
    assert "@cache(" in found["code_snippet"]


def test_every_decorated_definition_is_found_and_none_takes_anothers_decorator(decorated: Project) -> None:
    for name, path, first in (
        ("fetch_den", "api.py", 21),
        ("MartenRecord", "api.py", 31),
        ("MartenCard", "card.ts", 1),
        ("onMartenClick", "card.ts", 4),
    ):
        assert decorated.find(name, path)["line_start"] == first
    assert {r["line_start"] for r in decorated.search("den_size") if r["symbol_name"].endswith("den_size")} == {17, 26}
    assert "@" not in decorated.find("without_decorator", "api.py", top=1)["code_snippet"]


KERNEL_C = """#include <stdint.h>
#define DEFINE_HANDLER(name) int name##_handler(int x)

#ifdef QUICK
static int sum_quick_path(const uint8_t *p)
#else
static int sum_slow_path(const uint8_t *p)
#endif
{
    int s = 0;
    while (*p) s += *p++;
    return s;
}

DEFINE_HANDLER(numbat)
{
    return x + 1;
}

#if 0
if (broken) {
#endif
}

EXPORT_SYMBOL(behind_the_break)

int behind_the_break(int n)
{
    LIST_FOREACH(n, head) {
        n++;
    }
    return n;
}

int old_style(a, b)
    int a;
    int b;
{
    return a - b;
}
"""


def test_functions_that_the_preprocessor_splits_or_makes_are_found(project: Project) -> None:
    project.write("kern.c", KERNEL_C)
    project.index()
    for query in ("sum_quick_path", "sum_slow_path", "DEFINE_HANDLER numbat", "int behind_the_break", "old_style"):
        project.find(query, "kern.c")
    every_line_is_found(
        project,
        "kern.c",
        {
            1: "stdint",
            5: "sum_quick_path",
            7: "sum_slow_path",
            15: "numbat",
            20: "broken",
            25: "EXPORT_SYMBOL",
            29: "LIST_FOREACH",
            35: "old_style",
        },
    )


BOX_HPP = """#pragma once
template <typename T>
class EchidnaBox {
 public:
  T echidnaGet() const;
  void echidnaSet(T v);
  bool operator==(const EchidnaBox& other) const { return v_ == other.v_; }
  explicit operator bool() const { return true; }
  void* operator new(size_t echidnaBytes);
 private:
  T v_;
};

template <typename T>
T EchidnaBox<T>::echidnaGet() const { return v_; }

template <>
void EchidnaBox<std::string>::echidnaSet(std::string v) { v_ = std::move(v); }

extern template class EchidnaBox<int>;

template <typename A, typename B,
          typename C = decltype(std::declval<A>() + std::declval<B>())>
auto echidna_add(A a, B b) -> C { return a + b; }

namespace zoo { inline namespace v2 { int echidna_in_namespace(); } }
int zoo::v2::echidna_in_namespace() { return 2; }
"""


def test_templates_and_operators_have_their_right_names(project: Project) -> None:
    project.write("box.hpp", BOX_HPP)
    project.index()
    for query, lines in (
        ("EchidnaBox echidnaGet", (14, 15)),
        ("echidnaSet std::string", (17, 18)),
        ("echidna_add", (22, 24)),
        ("echidna_in_namespace", (26, 27)),
    ):
        project.find(query, "box.hpp", lines)
    assert project.find("echidna_add", "box.hpp", (22, 24), top=1)["line_start"] == 22
    assert any("operator==" in result["code_snippet"] for result in project.search("operator== EchidnaBox")[:5])
    names = {result["symbol_name"] for query in ("echidnaBytes", "other", "EchidnaBox", "operator") for result in project.search(query)}
    assert not any(name.rpartition(".")[2].rpartition("::")[2] in ("echidnaBytes", "other") for name in names)


def notebook(*cells: dict[str, Any]) -> str:
    return json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"name": "python3", "language": "python"}}, "cells": list(cells)}
    )


def test_a_notebook_is_its_cells(project: Project) -> None:
    picture = "iVBORw0KGgo" * 30_000
    outputs = [
        {"output_type": "display_data", "metadata": {}, "data": {"image/png": picture}},
        {
            "output_type": "error",
            "ename": "KeyError",
            "evalue": "inOutputOnly",
            "traceback": ["\u001b[0;31mKeyError inOutputOnly\u001b[0m"],
        },
    ]
    source = ["%matplotlib inline\n", "def tapir_loss_rate(df):\n", '    """Share of lost accounts."""\n', "    return df.lost.mean()\n"]
    project.write(
        "study.ipynb",
        notebook(
            {"cell_type": "markdown", "metadata": {}, "source": ["# Tapir study\n", "We drop accounts younger than 30 days."]},
            {"cell_type": "code", "execution_count": 3, "metadata": {}, "source": source, "outputs": outputs},
            {
                "cell_type": "code",
                "execution_count": None,
                "metadata": {},
                "source": "!pip install tapirlib\ntapir_plot = tapir_loss_rate(df)",
                "outputs": [],
            },
        ),
    )
    project.write("broken.ipynb", '{"cells": [ {"cell_type": "code", "source": ["def cut_off')
    project.write("empty.ipynb", '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
    report = project.index()
    assert report["skipped"] == []
    assert report["chunks"]["added"] < 15
    found = project.find("tapir_loss_rate", "study.ipynb")
    assert "def tapir_loss_rate(df):\n" in found["code_snippet"]
    assert "cell 2" in found["code_snippet"] + found["signature"] + found["parent"] + found["symbol_name"] + " ".join(found["reasons"])
    assert "younger than 30 days" in project.find("accounts younger than 30 days", "study.ipynb")["code_snippet"]
    shown = [result["code_snippet"] for query in ("inOutputOnly", "iVBORw0KGgo", "KeyError") for result in project.search(query)]
    assert not any("inOutputOnly" in text or "iVBORw0KGgo" in text for text in shown)


MIGRATION = """create table public.quoll_event (
  id bigint primary key,
  payload jsonb not null
);

create or replace function public.quoll_rollup(p_day date)
returns integer
language plpgsql
security definer
set search_path = public, pg_temp
as $fn$
declare n integer;
begin
  select count(*) into n from quoll_event; -- semicolons; inside
  return n;
end;
$fn$;

do $$
begin
  perform public.quoll_rollup(current_date);
end
$$;

create trigger quoll_touch before update on public.quoll_event
  for each row execute function touch_row();
"""
TSQL = """CREATE PROCEDURE dbo.ArchiveQuolls @days INT
AS
BEGIN
  DECLARE @cut DATETIME = DATEADD(day, -@days, GETDATE());
  DELETE FROM dbo.Quoll WHERE seen < @cut;
END
GO
CREATE VIEW dbo.[Quoll Summary] AS SELECT COUNT(*) AS n FROM dbo.Quoll
GO
"""


def test_objects_of_sql_files_are_found_whole(project: Project) -> None:
    project.write("migrations/003.sql", MIGRATION)
    project.write("legacy/proc.sql", TSQL)
    project.index()
    rollup = project.find("quoll_rollup", "migrations/003.sql", (6, 17), top=1)
    assert (rollup["line_start"], rollup["line_end"]) == (6, 17)
    table = project.find("quoll_event", "migrations/003.sql", (1, 4))
    assert (table["line_start"], table["line_end"]) == (1, 4)
    project.find("quoll_touch", "migrations/003.sql", (25, 26))
    project.find("perform current_date", "migrations/003.sql", (19, 23))
    project.find("ArchiveQuolls", "legacy/proc.sql", (1, 6))
    project.find("Quoll Summary", "legacy/proc.sql", (8, 8))


def test_a_dump_adds_a_bounded_number_of_chunks_and_its_last_line_is_found(project: Project) -> None:
    rows = "".join(f"INSERT INTO seed_quoll VALUES ({i}, 'name {i}');\n" for i in range(20_000))
    project.write("dump.sql", f"CREATE TABLE seed_quoll (id INT, name TEXT);\n{rows}CREATE TABLE seed_last_quoll (id INT);\n")
    report = project.index("--mode", "fast")
    assert report["chunks"]["added"] <= 2_000
    project.find("seed_last_quoll", "dump.sql", (20_002, 20_002))
