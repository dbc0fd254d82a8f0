"""What does an address of a MongoDB mean, what of it is secret, and which one leads to this machine alone?"""

from __future__ import annotations

import pytest

from clew.errors import UsageError
from clew.stores.mongodb.address import is_local, place


def test_a_database_is_named_or_is_clew() -> None:
    assert place("mongodb://host:27017", {}.get).database == "clew"
    assert place("mongodb+srv://host/team_1?retryWrites=true", {}.get)[:2] == ("mongodb+srv://host/team_1?retryWrites=true", "team_1")
    assert place("mongodb://a:1,b:2/x", {}.get).shown == "mongodb://a:1,b:2/x"


def test_a_password_comes_from_a_variable_or_from_who_keeps_it_and_is_shown_to_nobody() -> None:
    given = place("mongodb://me:${WORD}@host/x", {"WORD": "p@ss/w:rd"}.get)
    assert given.uri == "mongodb://me:p%40ss%2Fw%3Ard@host/x" and given.secrets == ("p@ss/w:rd",) and given.shown == "mongodb://host/x"
    kept = place("mongodb://me@host/x", {}.get, lambda shown, user: f"{user} of {shown}")
    assert kept.uri == "mongodb://me:me%20of%20mongodb%3A%2F%2Fhost%2Fx@host/x" and kept.secrets == ("me of mongodb://host/x",)
    literal = place("mongodb://me:s3cr3t@host/x", {}.get, lambda shown, user: "not asked for")
    assert "s3cr3t" in literal.uri and "s3cr3t" not in literal.shown and literal.secrets == ("s3cr3t",)


@pytest.mark.parametrize(
    "text",
    [
        "mongodb://",
        "mongodb:///x",
        "mongodb://u:s3cr3t@/x",
        "mongodb://u:s3cr3t@h/a b",
        "mongodb://u:s3cr3t@h/a/b",
        "mongodb://u:${ABSENT}s3cr3t@h/x",
    ],
)
def test_an_address_that_means_nothing_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(UsageError) as fault:
        place(text, {}.get)
    assert "s3cr3t" not in fault.value.message + fault.value.hint


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("mongodb://localhost", True),
        ("mongodb://localhost:27017/x", True),
        ("mongodb://127.0.0.1:1,localhost:2/x?directConnection=true&replicaSet=r", True),
        ("mongodb://[::1]:27017/x", True),
        ("mongodb://user:word@localhost/x", True),
        ("mongodb+srv://localhost/x", False),
        ("mongodb://localhost:1,db.example:2/x", False),
        ("mongodb://localhost,db.example/x", False),
        ("mongodb://localhost@db.example/x", False),
        ("mongodb://user:localhost@db.example/x", False),
        ("mongodb://db.example/localhost", False),
        ("mongodb://db.example?localhost", False),
        ("mongodb://localhost/x?proxyHost=db.example", False),
        ("mongodb://localhost/x?authMechanismProperties=ENVIRONMENT:azure", False),
        ("mongodb://localhost/x?tlsCertificateKeyFile=/home/me/key.pem", False),
        ("mongodb://user:${AWS_SECRET_ACCESS_KEY}@localhost/x", False),
        ("mongodb://%2Ftmp%2Fmongodb.sock/x", False),
        ("mongodb://localhost.db.example/x", False),
        ("mongodb://", False),
    ],
)
def test_only_an_address_that_leads_to_this_machine_alone_may_come_from_a_projects_file(text: str, local: bool) -> None:
    assert is_local(text) is local
