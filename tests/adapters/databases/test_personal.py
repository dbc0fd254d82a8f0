"""Which columns are taken for personal, and which are not?"""

from __future__ import annotations

import pytest

from clew.adapters.databases.personal import holds_personal, looks_personal, values_look_personal
from clew.core.schema.contracts import Column, Table


def kind(name: str, table: str = "things", dtype: str = "text") -> str:
    return looks_personal(Column(name=name, dtype=dtype), Table(name=table))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("email", "email"),
        ("EMailAddress", "email"),
        ("contact_email_2", "email"),
        ("mobilePhone", "phone"),
        ("lname", "person name"),
        ("Last Name", "person name"),
        ("user_name", "person name"),
        ("date_of_birth", "birth date"),
        ("dob", "birth date"),
        ("street", "address"),
        ("zip_code", "address"),
        ("ip_address", "network address"),
        ("ssn", "government id"),
        ("national_id", "government id"),
        ("credit_card", "payment card"),
        ("IBAN", "bank account"),
        ("password_hash", "secret"),
        ("api_key", "secret"),
        ("salary", "sensitive"),
    ],
)
def test_names_of_people_and_their_things_are_told(name: str, expected: str) -> None:
    assert kind(name) == expected


@pytest.mark.parametrize(
    "name",
    [
        "address_id",
        "email_count",
        "is_email_verified",
        "phone_type",
        "has_password",
        "county",
        "title",
        "id",
        "status",
        "product_name",
        "",
        "品名",
    ],
)
def test_what_is_only_about_them_is_not(name: str) -> None:
    assert kind(name) == ""


def test_a_bare_name_is_a_persons_in_a_table_of_people_only() -> None:
    assert (kind("name", "Customers"), kind("name", "employee"), kind("name", "products")) == ("person name", "person name", "")


def test_types_count_too() -> None:
    assert kind("source", dtype="inet") == "network address"
    assert kind("email", dtype="boolean") == ""
    assert kind("email", dtype="integer") == ""
    assert kind("salary", dtype="numeric(10,2)") == "sensitive"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["a@b.org", "c.d@e.co.uk", "x@y.de", ""], "email"),
        (["4111 1111 1111 1111", "5500-0000-0000-0004", "340000000000009"], "payment card"),
        (["4111 1111 1111 1112", "5500-0000-0000-0004", "340000000000009"], ""),
        (["123-45-6789", "987-65-4321", "111-22-3333"], "government id"),
        (["+49 30 123456", "(555) 123-4567", "555-123-4567"], "phone"),
        (["10.0.0.1", "192.168.1.1", "8.8.8.8"], "network address"),
        (["DE89370400440532013000", "GB29 NWBK 6016 1331 9268 19", "FR1420041010050500013M02606"], "bank account"),
        (["Alameda", "Kern", "write to a@b.org"], ""),
        (["a@b.org"], ""),
        ([1, 2, 3], ""),
    ],
)
def test_values_give_away_what_names_do_not(values: list[object], expected: str) -> None:
    assert values_look_personal(values) == expected


def test_a_text_with_somebodys_address_or_number_in_it_is_told() -> None:
    assert [
        text
        for text in ("write to a@b.org", "card 4111 1111 1111 1111", "call (555) 123-4567", "ssn 123-45-6789")
        if not holds_personal(text)
    ] == []
    assert [text for text in ("Alameda", "2024-01-31 10:00:00", "1234567890123", "3.14", "a @ b", "v1.2.3-4") if holds_personal(text)] == []
