"""Does the service answer each principal from what is theirs, and refuse the rest as if it were not there?"""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from tests.serving.conftest import ANN, BOB, ROOT, Served

from clew.access import Entry
from clew.assembly import open_service
from clew.core.access import Principal
from clew.core.answer import Question
from clew.core.query import Filters, PathFilter
from clew.core.schema.answer import SchemaQuestion
from clew.errors import ClewError, Forbidden, NoIndex, NoSuchNamespace, UsageError
from clew.serving import KINDS, Lines, Look, Service
from clew.serving.hiding import Hiding

NAMED = "launch_rocket"


@pytest.fixture(scope="module")
def service(served: Served) -> Iterator[Service]:
    with open_service([served.open, served.hidden], hides_places=True) as service:
        yield service


def refused(call: Callable[[], object]) -> tuple[type[ClewError], str, str]:
    with pytest.raises(ClewError) as caught:
        call()
    return type(caught.value), caught.value.message, caught.value.hint


def test_each_searches_what_is_theirs(service: Service, served: Served) -> None:
    asked = Question(NAMED)
    assert [one.chunk.symbol_name for one in service.search(ANN, asked).results] == [NAMED]
    assert service.search(BOB, asked).results == ()
    both = service.search(ANN, Question("what does the customer have to pay, and start the rocket", limit=20))
    assert {one.chunk.namespace for one in both.results} == {served.open_name, served.hidden_name}
    assert list(both.results) == sorted(both.results, key=lambda one: -one.score)
    assert {one.chunk.namespace for one in service.search(BOB, Question("pay")).results} == {served.open_name}


def test_what_may_not_be_seen_is_refused_as_what_there_is_not(service: Service, served: Served) -> None:
    def calls(name: str) -> list[Callable[[], object]]:
        looks = [partial(service.look, BOB, Look(kind, "rocket.py", name)) for kind in KINDS]
        return [
            lambda: service.search(BOB, Question("x", namespaces=(name,))),
            lambda: service.search(BOB, Question("x", namespaces=(served.open_name, name))),
            lambda: service.status(BOB, (name,)),
            lambda: service.databases(BOB, name),
            lambda: service.search_databases(BOB, SchemaQuestion("x"), name),
            lambda: service.show_database(BOB, "store", namespace=name),
            *looks,
        ]

    stranger = "s" * len(served.hidden_name)
    for hidden, none in zip(calls(served.hidden_name), calls(stranger), strict=True):
        kind, message, hint = refused(hidden)
        assert kind is NoSuchNamespace
        assert (kind, message.replace(served.hidden_name, stranger), hint) == refused(none)


def test_lists_name_what_may_be_seen(service: Service, served: Served) -> None:
    assert [(one.record.name, one.role, one.root) for one in service.namespaces(BOB)] == [(served.open_name, "viewer", "")]
    assert {one.record.name for one in service.namespaces(ROOT)} == {served.open_name, served.hidden_name}
    assert [one.namespace for one in service.status(BOB)] == [served.open_name]
    (status,) = service.status(ANN, (served.hidden_name,))
    assert (status.files, status.root, status.bytes, status.writer) == (1, "", 0, "")


def test_every_look_answers(service: Service, served: Served) -> None:
    targets = {"importers": "src/basket.py", "related": "src/basket.py", "outline": "src/basket.py", "read": "src/basket.py", "map": ""}
    for kind in KINDS:
        found = service.look(BOB, Look(kind, targets.get(kind, "total_price"), line_start=4, line_end=5))
        assert pickle.loads(pickle.dumps(found)) == found
    lines = service.look(BOB, Look("read", "src/basket.py", line_start=4, line_end=5))
    assert lines == Lines("src/basket.py", 4, 5, 'class Basket:\n    """What a customer has chosen."""')
    assert "calls" not in str(service.look(ROOT, Look("callers", "total_price", served.open_name)))


@pytest.mark.parametrize("target", [".env", "../x", "src/none.py", "/etc/passwd", ""])
def test_only_what_is_indexed_is_read(service: Service, target: str) -> None:
    assert refused(lambda: service.look(BOB, Look("read", target)))[0] is UsageError


def test_where_several_could_be_meant_one_has_to_be_named(service: Service, served: Served) -> None:
    _, message, hint = refused(lambda: service.look(ANN, Look("map")))
    assert (message, hint) == (
        "several namespaces could be meant",
        f"name one of them: {', '.join(sorted((served.open_name, served.hidden_name)))}",
    )
    nobody = Principal("eve", namespaces=frozenset())
    assert refused(lambda: service.look(nobody, Look("map")))[0] is NoIndex
    assert service.search(nobody, Question("pay")).results == ()


def test_a_token_may_hold_less_than_its_bearer(service: Service, served: Served) -> None:
    only_search = replace(BOB, permissions=frozenset({"search"}))
    (first, *_) = service.search(only_search, Question("total_price", max_tokens=500)).results
    assert (first.chunk.symbol_name, first.chunk.code, first.code_snippet, first.chunk.docstring) == ("Basket.total_price", "", "", "")
    assert refused(lambda: service.look(only_search, Look("symbol", "total_price", served.open_name)))[0] is Forbidden
    nothing = replace(BOB, permissions=frozenset())
    assert refused(lambda: service.search(nothing, Question("x", namespaces=(served.open_name,))))[0] is Forbidden
    other = replace(ROOT, namespaces=frozenset({served.open_name}))
    assert refused(lambda: service.status(other, (served.hidden_name,)))[0] is NoSuchNamespace


def test_values_of_databases_are_for_who_may_see_them(service: Service, served: Served) -> None:
    def shown(who: Principal) -> str:
        found = service.show_database(who, "store.customers")
        asked = service.search_databases(who, SchemaQuestion("customers by city"))
        return f"{found}{asked}"

    assert "Alameda" in shown(ANN)
    assert "Alameda" not in shown(BOB)
    (listed,) = service.databases(BOB)
    assert listed.registration.name == "store" and "Alameda" not in str(listed) and "statistics=ColumnStatistics" not in str(listed)
    asked = SchemaQuestion("how many are in Alameda")
    assert "holds the value" in str(service.search_databases(ANN, asked)) and "holds" not in str(service.search_databases(BOB, asked))
    assert refused(lambda: service.databases(ANN, served.hidden_name))[0] is NoIndex


def test_answers_can_be_sent_to_another_process(service: Service) -> None:
    filters = Filters(paths=(PathFilter("src"),))
    for answer in (
        service.search(ANN, Question("pay", filters=filters, max_tokens=400)),
        service.search_databases(ANN, SchemaQuestion("orders")),
        service.show_database(ANN, "store"),
        service.namespaces(ANN),
        service.status(ANN),
        service.databases(ANN),
    ):
        assert pickle.loads(pickle.dumps(answer)) == answer
    assert service.search(ANN, Question("pay")).tokens > 0


def test_every_call_is_written_down_without_its_words(served: Served) -> None:
    written: list[Entry] = []
    with open_service([served.open], written.append) as service:
        service.search(BOB, Question("total_price"))
        refused(lambda: service.look(BOB, Look("read", "a.py", "other")))
    assert [(one.who, one.what, one.namespaces, one.allowed, one.text) for one in written] == [
        ("bob", "search", (served.open_name,), True, ""),
        ("bob", "read", ("other",), False, ""),
    ]
    assert written[0].results > 0
    with open_service([served.open], written.append, keeps_text=True) as service:
        service.search(BOB, Question("total_price"))
    assert written[-1].text == "total_price"


def test_a_project_without_an_index_is_not_served(tmp_path: Path) -> None:
    assert refused(lambda: open_service([str(tmp_path)]))[0] is NoIndex


def test_nothing_says_where_things_lie_on_the_server(served: Served, tmp_path: Path) -> None:
    shutil.copytree(served.open, tmp_path / "shop")
    with open_service([tmp_path / "shop"], hides_places=True) as service, open_service([tmp_path / "shop"]) as plain:
        assert str(tmp_path) in str(plain.search(ROOT, Question("pay")))
        assert str(tmp_path) not in str(service.search(ROOT, Question("pay")))
        assert str(tmp_path) not in str(
            (service.status(ROOT), service.namespaces(ROOT), service.databases(ROOT), service.show_database(ROOT, "store"))
        )
    fault = Hiding([("/srv/shop", "shop"), ("/srv/shop/.clew", "its index")]).fault(
        ClewError("/srv/shop/.clew is damaged", "clew index /srv/shop")
    )
    assert (fault.message, fault.hint) == ("its index is damaged", "clew index shop")


def test_a_namespace_in_two_stores_is_not_served(served: Served, tmp_path: Path) -> None:
    shutil.copytree(served.hidden, tmp_path / "copy")
    kind, message, _ = refused(lambda: open_service([served.hidden, tmp_path / "copy"]))
    assert (kind, message) == (UsageError, f"two stores hold a namespace {served.hidden_name}")
