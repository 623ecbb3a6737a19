"""Cleaning: the attributes of a span or an event, redacted, whoever is named under a pseudonym."""

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from tracemill.ingest.dialects.attributes import PSEUDONYMOUS
from tracemill.ingest.redact import Redactor

NAMED_KEYS = frozenset(PSEUDONYMOUS)


def clean(attributes: Mapping[str, Any], redactor: Redactor) -> dict[str, JsonValue]:
    """Return the attributes redacted, users' and tenants' ids as pseudonyms."""
    cleaned = redactor.attributes(attributes)
    for key in NAMED_KEYS.intersection(attributes):
        if attributes[key]:
            cleaned[key] = redactor.pseudonym(str(attributes[key]), PSEUDONYMOUS[key])
    return cleaned
