"""Is every password found in an address, filled in as it is meant, and struck out of every text?"""

from __future__ import annotations

from urllib.parse import quote, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.schema.addresses import HIDDEN, file_of, filled, masked, redacted, split_secrets, variables, with_file
from clew.errors import UsageError

PASSWORDS = (
    "plain",
    "p@ss",
    "p:w",
    "50%",
    "a%40b",
    "x/y",
    "q?r=1",
    "h#sh",
    "@",
    "%%",
    "päss wörd",
    "{x}",
    "a'b\"c",
    "\\n",
    "p@ss:w%rd/1?2#3",
)


def no_variable(_: str) -> None:
    return None


def meant(url: str) -> str:
    """The password that a driver reads in a URL."""
    return unquote(urlsplit(url).password or "")


@pytest.mark.parametrize("password", PASSWORDS)
def test_a_password_is_split_off_whether_it_is_encoded_or_not(password: str) -> None:
    for written, real in ((password, unquote(password)), (quote(password, safe=""), password)):
        bare, secrets = split_secrets(f"postgresql://reader:{written}@host:5432/app?sslmode=require")
        assert bare == f"postgresql://reader:{HIDDEN}@host:5432/app?sslmode=require"
        assert secrets == {"password": real}
        assert meant(filled(bare, secrets, no_variable).url) == real


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_password_comes_back_as_it_was(password: str) -> None:
    bare, secrets = split_secrets(f"mysql+pymysql://u:{quote(password, safe='')}@h/db")
    again = filled(bare, secrets, no_variable)
    assert secrets == {"password": password}
    assert again.secrets[0] == password
    assert again.url == f"mysql+pymysql://u:{quote(password, safe='')}@h/db"


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: "${" not in text))
def test_of_a_password_that_is_not_encoded_nothing_is_left_over(password: str) -> None:
    assert split_secrets(f"postgresql://u:{password}@h/db")[0] == f"postgresql://u:{HIDDEN}@h/db"


def test_a_user_may_have_an_at_in_his_name() -> None:
    assert split_secrets("postgresql://me@corp:s3cret@host/db") == (f"postgresql://me@corp:{HIDDEN}@host/db", {"password": "s3cret"})
    assert filled("postgresql://me@corp:x@host/db", {}, no_variable).url == "postgresql://me%40corp:x@host/db"


def test_secrets_among_the_parameters_are_split_off_too() -> None:
    url = "mysql://h/db?user=u&password=s3%26cret&charset=utf8&ssl_key=/k.pem&sslpassword=pw"
    bare, secrets = split_secrets(url)
    assert bare == "mysql://h/db?user=u&password=***&charset=utf8&ssl_key=/k.pem&sslpassword=***"
    assert secrets == {"?password": "s3&cret", "?sslpassword": "pw"}
    assert filled(bare, secrets, no_variable).url == url
    assert split_secrets("duckdb:///md:shop?motherduck_token=abc")[1] == {"?motherduck_token": "abc"}


def test_addresses_without_a_secret_stay_as_they_are() -> None:
    for url in (
        "sqlite:////home/me@work/a:b.db",
        "duckdb:///x@y.duckdb",
        "ddl:dir@x/schema.sql?dialect=postgres",
        "postgresql://reader@host:5432/app",
        "postgresql:///app",
        "postgresql://u:${PGPASSWORD}@h/db",
        "mysql://h/db?password=${PW}",
        "${DATABASE_URL}",
        "sqlite://",
    ):
        assert split_secrets(url) == (url, {})


def test_a_variable_is_taken_as_it_is_wherever_it_stands() -> None:
    values = {"PW": "p@ss:w%40rd", "WHO": "me@corp", "WHERE": "host:5432", "DB": "app"}
    address = filled("postgresql://${WHO}:${PW}@${WHERE}/${DB}", {}, values.get)
    assert address.url == "postgresql://me%40corp:p%40ss%3Aw%2540rd@host:5432/app"
    assert address.secrets == ("p@ss:w%40rd",)
    whole = filled("${URL}", {}, {"URL": "mysql://u:s3cret@h/db?password=other"}.get)
    assert whole.url == "mysql://u:s3cret@h/db?password=other"
    assert set(whole.secrets) == {"s3cret", "other"}
    assert set(filled("postgresql://${PART}@h/db", {}, {"PART": "u:s3cret"}.get).secrets) == {"s3cret"}
    assert filled("mysql://h/db?password=${PW}&a=${DB}", {}, values.get).url == "mysql://h/db?password=p%40ss%3Aw%2540rd&a=app"
    assert variables("postgresql://${A}:${B}@h") == ("A", "B")


def test_a_variable_that_is_not_set_and_a_secret_that_is_not_known_are_named() -> None:
    with pytest.raises(UsageError, match="PGPASSWORD is not set"):
        filled("postgresql://u:${PGPASSWORD}@h/db", {}, no_variable)
    with pytest.raises(UsageError, match="password is not known on this machine"):
        filled(f"postgresql://u:{HIDDEN}@h/db", {}, no_variable)


@pytest.mark.parametrize("password", [one for one in PASSWORDS if len(one) > 2])
def test_no_form_of_a_password_is_left_in_a_text(password: str) -> None:
    forms = (password, quote(password), quote(password, safe=""), repr(password), f"postgresql://u:{password}@h/db", f'"{password}"')
    for form in forms:
        assert password not in redacted(f"could not connect with {form}: refused", [password])
        assert quote(password, safe="") not in redacted(f"could not connect with {form}: refused", [password])


def test_a_text_that_holds_a_password_of_one_letter_is_withheld() -> None:
    assert redacted("wrong password x for u", ["x"]) == "the message is withheld: it may hold the password"
    assert redacted("no route to the host", ["x"]) == "no route to the host"


def test_passwords_of_urls_in_a_text_are_struck_out_even_if_nobody_knows_them() -> None:
    said = "No such option: postgresql://u:p@ss@h/db and mysql://a:b@c"
    assert masked(said) == f"No such option: postgresql://u:{HIDDEN}@h/db and mysql://a:{HIDDEN}@c"
    assert masked("see https://example.org/a:b") == "see https://example.org/a:b"
    assert "secret" not in masked("postgresql://u:" + "secret" * 100_000 + "@h/db")


def test_the_path_in_a_files_address_can_be_exchanged() -> None:
    assert file_of("ddl:a/b.sql?dialect=mysql") == "a/b.sql"
    assert with_file("ddl:a/b.sql?dialect=mysql", "/c.sql") == "ddl:/c.sql?dialect=mysql"
    assert with_file("sqlite+pysqlite:///x.db", "/y.db") == "sqlite+pysqlite:////y.db"
    assert [
        file_of(url) for url in ("sqlite://", "sqlite:///:memory:", "postgresql://h/db", "duckdb:///md:x", "sqlite:///file:x?uri=true")
    ] == [""] * 5
