"""Does the server take and give what its description says? Requests made from the description, right ones and wrong ones, and every answer held against it."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig
from tests.interfaces.web.conftest import Team

from clew.interfaces.web.openapi import document

EXAMPLES = 12
"""For each route; bench/contract.py makes as many as are asked for."""


def described() -> schemathesis.BaseSchema:
    """The description, with what may be answered to a request that keeps to it: a path may lead out of a project, a name may be of no database."""
    config = SchemathesisConfig.from_dict({"checks": {"positive_data_acceptance": {"expected-statuses": ["2xx", 400, 404]}}})
    return schemathesis.openapi.from_dict(document(), config=config)


schema = described()


@schema.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_requests_of_every_kind_are_answered_as_is_described(team: Team, case: schemathesis.Case) -> None:
    case.call_and_validate(base_url=team.bob.address, headers={"Authorization": f"Bearer {team.bob.token}"})


def test_the_description_keeps_to_its_own_rules() -> None:
    schema.validate()
    names = [operation.get("operationId") for path in document()["paths"].values() for operation in path.values()]
    assert len(names) == len(set(names))
    assert all(set(operation["responses"]) >= {"200"} for path in document()["paths"].values() for operation in path.values())


@pytest.mark.parametrize("route", ["/v1/search"])
def test_the_description_names_what_a_question_may_say(route: str) -> None:
    body = document()["paths"][route]["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    fields = document()["components"]["schemas"][body]
    assert set(fields["properties"]) >= {"query", "in", "namespaces", "mode", "limit", "max_tokens"}
    assert fields["additionalProperties"] is False
    assert fields["required"] == ["query"]
