"""Does a role, a team, a grant or a token let in whom it should, and nobody else?"""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.access import may, may_grant, permissions_of, record_of, role_in, sees, to_facts
from clew.core.access import PERMISSIONS, ROLES, NamespaceRecord, Principal
from clew.core.chunk import VISIBILITIES

NAMES = st.sampled_from(["ann", "bob", "cem"])
TEAMS = st.frozensets(st.sampled_from(["red", "blue"]))
RECORDS = st.builds(
    NamespaceRecord,
    name=st.sampled_from(["one", "two"]),
    owner=st.sampled_from(["", "ann", "bob"]),
    team=st.sampled_from(["", "red", "blue"]),
    visibility=st.sampled_from(VISIBILITIES),
    grants=st.dictionaries(NAMES, st.sampled_from(ROLES), max_size=2),
)
PRINCIPALS = st.builds(
    Principal,
    name=NAMES,
    role=st.sampled_from(ROLES),
    teams=TEAMS,
    namespaces=st.none() | st.frozensets(st.sampled_from(["one", "two"])),
    permissions=st.none() | st.frozensets(st.sampled_from(PERMISSIONS)),
)


def test_each_role_may_what_those_before_it_may_and_more() -> None:
    for lower, higher in pairwise(ROLES):
        assert permissions_of(lower) < permissions_of(higher)
    assert permissions_of("viewer") == {"search", "read"}
    assert permissions_of("admin") == set(PERMISSIONS)


@pytest.mark.parametrize(
    ("who", "record", "role"),
    [
        (Principal("ann"), NamespaceRecord("x", owner="ann"), "admin"),
        (Principal("ann"), NamespaceRecord("x", owner="bob"), None),
        (Principal("ann"), NamespaceRecord("x", owner="bob", visibility="public"), "viewer"),
        (Principal("ann", "developer"), NamespaceRecord("x", visibility="public"), "developer"),
        (Principal("ann", teams=frozenset({"red"})), NamespaceRecord("x", team="red", visibility="team"), "viewer"),
        (Principal("ann", teams=frozenset({"blue"})), NamespaceRecord("x", team="red", visibility="team"), None),
        (Principal("ann", teams=frozenset({"red"})), NamespaceRecord("x", team="red"), None),
        (Principal("ann", teams=frozenset({""})), NamespaceRecord("x", visibility="team"), None),
        (Principal("ann"), NamespaceRecord("x", grants={"ann": "operator"}), "operator"),
        (Principal("ann", "developer"), NamespaceRecord("x", visibility="public", grants={"ann": "viewer"}), "developer"),
        (Principal("ann", "admin"), NamespaceRecord("x", owner="bob"), "admin"),
        (Principal("", "viewer"), NamespaceRecord("x"), None),
        (Principal("ann", namespaces=frozenset({"y"})), NamespaceRecord("x", owner="ann"), None),
    ],
)
def test_who_is_what_in_a_namespace(who: Principal, record: NamespaceRecord, role: str | None) -> None:
    assert role_in(who, record) == role
    assert sees(who, record) is (role is not None)


@given(PRINCIPALS, RECORDS)
def test_whoever_may_do_something_sees_the_namespace_and_holds_the_permission(who: Principal, record: NamespaceRecord) -> None:
    for permission in PERMISSIONS:
        if may(who, permission, record):
            assert sees(who, record)
            assert who.permissions is None or permission in who.permissions


@given(PRINCIPALS, RECORDS)
def test_a_token_never_reaches_further_than_its_bearer(who: Principal, record: NamespaceRecord) -> None:
    whole = Principal(who.name, who.role, who.teams)
    assert all(may(whole, permission, record) for permission in PERMISSIONS if may(who, permission, record))


@given(PRINCIPALS, RECORDS, st.sampled_from(ROLES))
def test_nobody_grants_above_their_own_role(who: Principal, record: NamespaceRecord, role: str) -> None:
    granted = next(one for one in ROLES if one == role)
    if may_grant(who, granted, record):
        own = role_in(who, record)
        assert own is not None
        assert ROLES.index(granted) <= ROLES.index(own)


@given(RECORDS)
def test_a_record_is_the_same_after_it_was_kept(record: NamespaceRecord) -> None:
    assert record_of(record.name, to_facts(record)) == record


@pytest.mark.parametrize("grants", ["{", "[]", '{"ann": "god"}', '{"ann": 3}', "null"])
def test_facts_that_say_nothing_let_nobody_in(grants: str) -> None:
    assert record_of("x", {"visibility": "everyone", "grants": grants}) == NamespaceRecord("x")
