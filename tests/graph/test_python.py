"""Are calls of Python followed to what they mean, and claimed only where one definition is left?"""

from __future__ import annotations

from collections.abc import Callable

from tests.graph.conftest import told

from clew.engine import Engine

Write = Callable[[dict[str, str]], Engine]

SHOP = {
    "shop/__init__.py": "from .basket import Basket as Basket\nfrom . import prices\n",
    "shop/basket.py": """from __future__ import annotations

from typing import Optional

from shop.prices import Price, price_of as cost
from .stock import *


class Counter:
    def bump(self) -> Counter:
        self.count = 1
        return self


class Basket(Counter):
    def __init__(self, stock: Stock | None = None) -> None:
        self.stock = stock or Stock()
        self._last: Optional[Price] = None

    def add(self, article):
        self.bump().bump()
        self.stock.take_away(article)
        price = cost(article)
        price.rounded()
        super().bump()
        return self.total()

    def total(self):
        return self._last.rounded()

    @property
    def first(self) -> Price:
        return cost("x")

    def cheapest(self):
        return self.first.rounded()


def run(add):
    add()
    Basket().add(1)


def closing(basket):
    basket.take_away(1)
    basket.close()
""",
    "shop/prices.py": """class Price:
    def rounded(self):
        return round(self)


def price_of(article) -> Price:
    return Price()
""",
    "shop/stock.py": """class Stock:
    def take_away(self, article):
        pass

    def close(self):
        pass
""",
    "tests/test_shop.py": """import shop
import shop.prices as p
from shop import Basket, prices


def test_total():
    basket = Basket()
    basket.total()
    p.price_of(1)
    prices.price_of(2).rounded()
    shop.Basket()


def test_closing():
    with open("x") as stream:
        stream.close()
""",
}


def test_methods_are_found_through_self_bases_and_what_calls_give_back(project: Write) -> None:
    engine = project(SHOP)
    assert told(engine.callees("Basket.add").edges) == [
        "Basket.add > Basket.total",
        "Basket.add > Counter.bump",
        "Basket.add > Price.rounded",
        "Basket.add > Stock.take_away",
        "Basket.add > price_of",
    ]


def test_attributes_and_properties_have_the_types_that_they_are_given(project: Write) -> None:
    engine = project(SHOP)
    assert told(engine.callees("Basket.total").edges) == ["Basket.total > Price.rounded"]
    assert told(engine.callees("Basket.cheapest").edges) == ["Basket.cheapest > Price.rounded"]


def test_imports_are_followed_through_packages_and_other_names(project: Write) -> None:
    engine = project(SHOP)
    assert told(engine.callers("price_of").edges) == [
        "Basket.add > price_of",
        "Basket.first > price_of",
        "test_total > price_of",
    ]
    assert told(engine.callers("Basket").edges) == ["run > Basket", "test_total > Basket"]
    assert told(engine.callers("Basket.__init__").edges) == ["run > Basket", "test_total > Basket"]


def test_a_parameter_hides_a_function_of_its_name(project: Write) -> None:
    edges = project(SHOP).callees("run").edges
    assert told(edges) == ["run > Basket", "run > Basket.add"]
    assert told(edges, certain=False) == []


def test_a_method_of_something_unknown_is_certain_only_where_its_name_is_the_projects_alone(project: Write) -> None:
    edges = project(SHOP).callees("closing").edges
    assert told(edges) == ["closing > Stock.take_away"]
    assert told(edges, certain=False) == ["closing > Stock.close"]


def test_what_is_known_to_be_of_elsewhere_is_no_caller(project: Write) -> None:
    edges = project(SHOP).callers("Stock.close").edges
    assert {edge.source.name for edge in edges} == {"closing"}


def test_depth_follows_the_callers_of_callers(project: Write) -> None:
    edges = project(SHOP).callers("Price.rounded", depth=2).edges
    assert {(edge.depth, edge.source.name) for edge in edges if edge.certain} == {
        (1, "Basket.add"),
        (1, "Basket.total"),
        (1, "Basket.cheapest"),
        (1, "test_total"),
        (2, "run"),
        (2, "Basket.add"),
        (2, "test_total"),
    }


def test_a_decorator_is_called_by_what_is_around_the_decorated(project: Write) -> None:
    engine = project({"a.py": "def mark(name):\n    return name\n\n\n@mark('x')\ndef marked():\n    mark('y')\n"})
    assert [(edge.source.kind, edge.line) for edge in engine.callers("mark").edges] == [("file", 5), ("function", 7)]


def test_importers_are_files_that_import_the_file_or_something_of_it(project: Write) -> None:
    engine = project(SHOP)
    assert [one.filepath for one in engine.importers("shop/prices.py").importers] == [
        "shop/__init__.py",
        "shop/basket.py",
        "tests/test_shop.py",
    ]
    assert [one.filepath for one in engine.importers("shop/__init__.py").importers] == ["tests/test_shop.py"]
    assert [one.filepath for one in engine.importers("shop/stock.py").importers] == ["shop/basket.py"]


def test_a_module_of_the_language_is_not_taken_for_a_file_of_its_name(project: Write) -> None:
    engine = project(
        {"app/json.py": "def dumps(x):\n    pass\n", "app/__init__.py": "", "app/use.py": "import json\n\n\ndef f():\n    json.dumps(1)\n"}
    )
    assert engine.callers("dumps").edges == ()
    assert engine.importers("app/json.py").importers == ()


def test_a_name_narrows_by_type_and_by_path(project: Write) -> None:
    engine = project({"a.py": "def go():\n    pass\n\n\nclass A:\n    def go(self):\n        pass\n", "b/c.py": "def go():\n    pass\n"})
    assert [symbol.key for symbol in engine.symbol("go").symbols] == [("a.py", "go"), ("a.py", "A.go"), ("b/c.py", "go")]
    assert [symbol.key for symbol in engine.symbol("A.go").symbols] == [("a.py", "A.go")]
    assert [symbol.key for symbol in engine.symbol("b:go").symbols] == [("b/c.py", "go")]
    assert [symbol.key for symbol in engine.symbol("a.py:go").symbols] == [("a.py", "go"), ("a.py", "A.go")]


def test_after_an_edit_the_next_answer_is_right(project: Write) -> None:
    engine = project({"a.py": "def target():\n    pass\n", "b.py": "from a import target\n\n\ndef one():\n    target()\n"})
    assert told(engine.callers("target").edges) == ["one > target"]
    project({"b.py": "from a import target\n\n\ndef two():\n    target()\n\n\ndef one(target):\n    target()\n"})
    assert told(engine.callers("target").edges) == ["two > target"]
    project({"a.py": "def other():\n    pass\n"})
    found = engine.callers("target")
    assert (found.symbols, found.edges) == ((), ())


def test_a_name_that_is_not_there_is_answered_with_names_like_it(project: Write) -> None:
    assert "price_of" in project(SHOP).symbol("prise_of").near


def test_classes_that_build_upon_each_other_in_a_circle_end_nothing(project: Write) -> None:
    engine = project(
        {"a.py": "class A(B):\n    pass\n\n\nclass B(A):\n    def f(self):\n        self.g()\n        x = x.y()\n        x.f()\n"}
    )
    assert told(engine.callees("B.f").edges, certain=False) == ["B.f > B.f"]


def test_a_variable_called_cls_is_what_it_was_given(project: Write) -> None:
    text = "class Other:\n    pass\n\n\nclass A:\n    def f(self):\n        cls = Other\n        cls()\n\n    @classmethod\n    def g(cls):\n        cls()\n"
    engine = project({"a.py": text})
    assert told(engine.callees("A.f").edges) == ["A.f > Other"]
    assert told(engine.callees("A.g").edges) == ["A.g > A"]


def test_a_name_that_many_types_have_tells_nothing_about_any(project: Write) -> None:
    classes = "".join(f"class C{number}:\n    def handle_it(self):\n        pass\n\n\n" for number in range(9))
    engine = project({"a.py": f"{classes}def run(x):\n    x.handle_it()\n"})
    assert engine.callees("run").edges == ()
    engine = project({"a.py": f"{classes[: classes.index('class C3')]}def run(x):\n    x.handle_it()\n"})
    assert told(engine.callees("run").edges, certain=False) == ["run > C0.handle_it", "run > C1.handle_it", "run > C2.handle_it"]


def test_what_a_known_type_lacks_is_not_claimed_of_another_one(project: Write) -> None:
    text = "class A:\n    def f(self):\n        self.only_of_b()\n\n\nclass B:\n    def only_of_b(self):\n        pass\n"
    edges = project({"a.py": text}).callees("A.f").edges
    assert (told(edges), told(edges, certain=False)) == ([], ["A.f > B.only_of_b"])


def test_a_method_that_hands_on_to_one_of_its_name_elsewhere_does_not_call_itself_for_certain(project: Write) -> None:
    engine = project(
        {
            "a.py": "class Group:\n    def list_all(self, app):\n        return app.group.list_all()\n\n\ndef use(group):\n    group.list_all()\n"
        }
    )
    edges = engine.callers("Group.list_all").edges
    assert told(edges) == ["use > Group.list_all"]
    assert told(edges, certain=False) == ["Group.list_all > Group.list_all"]
