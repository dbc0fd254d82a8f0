"""Is one entry put into a file of settings, and taken out again, with nothing else moved?"""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.interfaces.install.jsonc import drop, parse, put
from clew.interfaces.install.notes import drop_note, put_note
from clew.interfaces.install.tables import drop_toml, drop_yaml, put_toml, put_yaml

KEYS = ("mcpServers", "clew")
ENTRY = {"command": "/opt/clew", "args": ["mcp"]}
JSONC = {
    "no servers": '{\n  "theme": "dark"\n}\n',
    "others": '{\n  "mcpServers": {\n    "files": {"command": "x"}\n  }\n}\n',
    "comments": '// mine\n{\n\t/* a */ "a": 1, // why\n\t"mcpServers": {\n\t\t"files": {"command": "x"} // keep\n\t\t// and this\n\t}\n}\n',
    "trailing commas": '{\n    "a": [1, 2,],\n    "mcpServers": {\n        "files": {},\n    },\n}\n',
    "windows": '\ufeff{\r\n  "a": "\\u00e9 // no comment"\r\n}\r\n',
    "one line": '{"a": 1, "mcpServers": {"files": {"command": "x"}}}',
}
TOML = {
    "empty": "",
    "others": '# mine\nmodel = "x"  # why\n\n[mcp_servers.files]\ncommand = "x"\n',
    "nested": '[mcp_servers."files"]\ncommand = "x"\n[mcp_servers.files.env]\nA = "[b]"\n\n[profiles.a]\nmodel = "y"\n',
}
YAML = {
    "nothing": "",
    "others": "# mine\nGOOSE_MODEL: x  # why\nextensions:\n    developer:\n        enabled: true # keep\n\n    # and this\n    other:\n        enabled: false\nlast: 1\n",
    "no extensions": "a: 1\nb:\n  - 2\n",
}


@pytest.mark.parametrize("text", JSONC.values(), ids=JSONC)
def test_a_member_of_json_comes_and_goes_and_nothing_else_moves(text: str) -> None:
    after = put(text, KEYS, ENTRY)
    servers = parse(after).value["mcpServers"]
    assert servers["clew"] == ENTRY
    assert {**parse(after).value, "mcpServers": None} == {**parse(text).value, "mcpServers": None}
    assert put(after, KEYS, ENTRY) == after
    assert drop(after, KEYS) == text
    assert drop(text, KEYS) == text
    changed = put(after, KEYS, {"command": "other"})
    assert parse(changed).value["mcpServers"]["clew"] == {"command": "other"}
    assert put(changed, KEYS, ENTRY) == after
    without_commas = after.replace(",", "")
    assert all(line.replace(",", "").rstrip("}\r") in without_commas for line in text.splitlines())


@pytest.mark.parametrize("text", TOML.values(), ids=TOML)
def test_a_table_of_toml_comes_and_goes_and_nothing_else_moves(text: str) -> None:
    keys = ("mcp_servers", "clew")
    after = put_toml(text, keys, ENTRY)
    assert tomllib.loads(after)["mcp_servers"]["clew"] == ENTRY
    assert after.startswith(text)
    assert put_toml(after, keys, ENTRY) == after
    assert drop_toml(after, keys) == text
    assert drop_toml(put_toml(after, keys, {"command": "other"}), keys) == text


@pytest.mark.parametrize("text", YAML.values(), ids=YAML)
def test_a_mapping_of_yaml_comes_and_goes_and_nothing_else_moves(text: str) -> None:
    keys = ("extensions", "clew")
    after = put_yaml(text, keys, ENTRY)
    assert set(text.splitlines()) <= set(after.splitlines())
    assert put_yaml(after, keys, ENTRY) == after
    assert drop_yaml(after, keys) == text


@pytest.mark.parametrize("text", ["{", '{"a": }', '{"a" 1}', "[1 2]", '{"a": 1} x', "{'a': 1}", '{"a": "\n"}', "[" * 5_000, '{"a": 1 /*'])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"line [0-9]+:"):
        put(text, KEYS, ENTRY)


@pytest.mark.parametrize("text", ["[1]", '{"mcpServers": []}', '"x"'])
def test_where_there_is_no_object_nothing_is_put(text: str) -> None:
    with pytest.raises(ValueError, match="is no object"):
        put(text, KEYS, ENTRY)


@pytest.mark.parametrize(
    "text", ["a = ", "[a]\n[a]\n", 'mcp_servers = {clew = {command = "y"}}\n', "mcp_servers.clew.command = 'y'\n", "mcp_servers = 1\n"]
)
def test_toml_that_is_broken_or_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        put_toml(text, ("mcp_servers", "clew"), ENTRY)


@pytest.mark.parametrize("text", ["a: [", "extensions: {a: {}}\n", "extensions: 1\n", "- a\n", "a: b: c\n"])
def test_yaml_that_is_broken_or_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        put_yaml(text, ("extensions", "clew"), ENTRY)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.text(), values), st.sampled_from([None, 1, 2, 4, "\t"]))
def test_any_json_is_read_as_json_and_comes_back(value: dict[str, Any], indent: int | str | None) -> None:
    text = json.dumps(value, indent=indent)
    assert parse(text).value == value
    keys = ("a server that nobody has", "clew")
    after = put(text, keys, ENTRY)
    assert parse(after).value == {**value, keys[0]: {"clew": ENTRY}}
    left = drop(after, keys)
    assert parse(left).value == value if value else left == ""


@pytest.mark.parametrize("text", ["", "# Rules\n", "# Rules", "# Rules\r\nmore\r\n", "a\n\n\n"])
def test_a_note_comes_once_and_goes(text: str) -> None:
    after = put_note(text)
    assert put_note(after) == after
    assert put_note(f"{after}more\n") == f"{after}more\n"
    assert drop_note(after) == text
