"""What a path tells: its role and the words of its name."""

from __future__ import annotations

import pytest

from clew.core.words import terms
from clew.search.paths import mentioned, path_words


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("tests/test_keys.py", "test"),
        ("src/keys_test.go", "test"),
        ("web/src/app.spec.ts", "test"),
        ("src/main/KeysTest.java", "test"),
        ("examples/hello/main.go", "test"),
        ("vendor/acme/keys.py", "vendored"),
        ("third_party/zlib/inflate.c", "vendored"),
        ("proto/keys_pb2.py", "generated"),
        ("api/keys.pb.go", "generated"),
        ("static/jquery.min.js", "generated"),
        ("poetry.lock", "generated"),
        ("package-lock.json", "generated"),
        ("core-tests/src/Keys.kt", "test"),
        ("tests-integration/src/lib.rs", "test"),
        ("Acme.UnitTests/Keys.cs", "test"),
        ("src/__testfixtures__/keys.ts", "test"),
        ("include/fmt/bundled/core.h", "vendored"),
        ("src/_legacy_keys/reader.py", "vendored"),
        ("CHANGELOG.md", "prose"),
        ("docs/guide.rst", "prose"),
        ("src/keys.py", None),
        ("src/flask/testing.py", None),
        ("src/contest.py", None),
        ("lib/Latest.java", None),
        ("src/latest/vendoring.py", None),
        ("src/contests-open/keys.py", None),
        ("src/unit-tests-runner/keys.py", None),
    ],
)
def test_a_path_has_a_role(path: str, role: str | None) -> None:
    assert path_words(path).role == role


def test_the_words_of_a_file_name_are_those_of_a_question() -> None:
    assert path_words("src/redirectMiddleware.php").name == set(terms("redirect middleware"))


@pytest.mark.parametrize("name", ["index.ts", "mod.rs", "__init__.py", "main.go", "lib.rs"])
def test_a_file_whose_name_says_nothing_is_called_after_its_folder(name: str) -> None:
    assert path_words(f"src/routing/{name}").name == set(terms("routing"))


def test_a_dotted_file_keeps_its_name() -> None:
    assert path_words(".gitignore").name == set(terms("gitignore"))


@pytest.mark.parametrize(
    ("path", "mention", "fit"),
    [
        ("src/api/h.py", "src/api/h.py", 1.0),
        ("src/api/h.py", "h.py", 1.0),
        ("src/api/h.py", "API/H.py", 1.0),
        ("acme/table/connect.py", "usr/lib/site-packages/acme/table/connect.py", 1.0),
        ("other/table/connect.py", "acme/table/connect.py", 2 / 3),
        ("src/apiary/x.py", "api/x.py", 1 / 2),
        ("src/api/h.py", "py", 0.0),
        ("src/api/h.py", "other.py", 0.0),
    ],
)
def test_a_mentioned_path_fits_by_what_both_end_in(path: str, mention: str, fit: float) -> None:
    assert mentioned(path_words(path).parts, mention) == pytest.approx(fit)


def test_folders_above_the_third_say_nothing() -> None:
    words = path_words("src/main/java/org/acme/jsonTools/Reader.java")
    assert [set(folder) for folder in words.folders] == [set(terms("org")), set(terms("acme")), {"json", "tool"}]
    assert words.above == frozenset().union(*words.folders)
