"""Whose customer a user is: every form that carries the application's own metadata tells it."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from tests.ingest.conversation_logs import openai_chat
from tests.ingest.conversation_records import langfuse_batch, langsmith, mlflow
from tests.ingest.reading import redactor, traces_of
from tracemill.ingest.mapping import FieldMapping
from tracemill.ingest.options import TopicOptions

ACME = "acme-4711"


def to_langfuse(record: dict[str, Any]) -> None:
    for event in record["batch"]:
        if event["type"] == "trace-create":
            event["body"]["metadata"] = {"tenant_id": ACME}


def to_mlflow(record: dict[str, Any]) -> None:
    record["info"]["tags"] = {"tenant.id": ACME}


def to_langsmith(record: dict[str, Any]) -> None:
    for run in (*record.get("post", ()), *record.get("patch", ())):
        run["extra"] = {"metadata": {"tenant_id": ACME}}


def to_chat(record: dict[str, Any]) -> None:
    del record["tenant_id"]
    record["metadata"] = {"tenant_id": ACME}


@pytest.mark.parametrize(
    ("records", "name_tenant"),
    [
        (langfuse_batch, to_langfuse),
        (mlflow, to_mlflow),
        (langsmith, to_langsmith),
        (openai_chat, to_chat),
    ],
)
def test_the_tenant_in_the_applications_metadata_is_kept_under_a_pseudonym(
    records: Callable[[], list[bytes]], name_tenant: Callable[[dict[str, Any]], None]
) -> None:
    values = [orjson.loads(value) for value in records()]
    for value in values:
        name_tenant(value)

    (trace,) = traces_of([orjson.dumps(value) for value in values])

    assert trace.tenant_id == redactor().pseudonym(ACME, "tenant")
    assert ACME not in trace.to_json()


def test_a_mapping_says_where_the_tenant_is() -> None:
    record = {"talk": [{"role": "user", "content": "hi"}], "account": {"id": ACME}}
    mapping = FieldMapping(messages="talk", tenant="account.id")

    (trace,) = traces_of([orjson.dumps(record)], TopicOptions(mapping=mapping))

    assert trace.tenant_id == redactor().pseudonym(ACME, "tenant")
