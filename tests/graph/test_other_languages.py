"""Are names of languages without rules of their own followed as far as names go, and scripts with CommonJS?"""

from __future__ import annotations

from collections.abc import Callable

from tests.graph.conftest import told

from clew.engine import Engine

Write = Callable[[dict[str, str]], Engine]


def test_the_only_definition_of_a_name_is_meant_and_one_of_several_is_possible(project: Write) -> None:
    engine = project(
        {
            "src/list.c": '#include "util/list.h"\n\nint list_push(int x) {\n    return node_alloc(x);\n}\n\nint init(void) {\n    return 0;\n}\n',
            "src/node.c": '#include "list.h"\n\nint node_alloc(int x) {\n    return x;\n}\n\nint boot(void) {\n    return setup_all();\n}\n',
            "src/util/list.h": "int list_push(int x);\n",
            "a.rb": "require_relative 'b'\n\ndef setup_everything\n  Basket.new.put_in(1)\nend\n",
            "b.rb": "class Basket\n  def put_in(x)\n    x\n  end\nend\n",
        }
    )
    assert told(engine.callees("list_push").edges) == ["list_push > node_alloc"]
    assert told(engine.callers("Basket.put_in").edges) == ["setup_everything > Basket.put_in"]
    assert [one.filepath for one in engine.importers("b.rb").importers] == ["a.rb"]
    assert [one.filepath for one in engine.importers("src/util/list.h").importers] == ["src/list.c", "src/node.c"]


def test_modules_of_node_are_followed(project: Write) -> None:
    engine = project(
        {
            "lib/index.js": "const { parse } = require('./parse');\nconst tools = require('./tools');\nmodule.exports = function run(x) {\n"
            "  return tools.shape(parse(x));\n};\n",
            "lib/parse.js": "function parse(x) {\n  return x;\n}\nmodule.exports = { parse };\n",
            "lib/tools.js": "exports.name = 'tools';\nfunction shape(x) {\n  return x;\n}\nclass Kit {\n  mend(x) {\n    return this.turn(x);\n  }\n"
            "  turn(x) {\n    return shape(x);\n  }\n}\n",
        }
    )
    assert told(engine.callees("Kit.mend").edges) == ["Kit.mend > Kit.turn"]
    edges = engine.callers("shape").edges
    assert [(edge.filepath, edge.line, edge.certain) for edge in edges] == [("lib/index.js", 4, True), ("lib/tools.js", 10, True)]
    assert [edge.line for edge in engine.callers("parse").edges] == [4]
    assert [one.filepath for one in engine.importers("lib/parse.js").importers] == ["lib/index.js"]
