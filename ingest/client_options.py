"""Client options: what a team sets for the Kafka client, under librdkafka's own names.

They are listed in librdkafka's CONFIGURATION.md. TOML reads `ssl.ca.location = "x"` as tables in
tables, and "ssl.ca.location" in quotes as one name: both say the same here.
"""

from collections.abc import Iterator, Mapping
from typing import Any

OF_KAFKA_PYTHON = {
    "ssl_cafile": "ssl.ca.location",
    "ssl_certfile": "ssl.certificate.location",
    "ssl_keyfile": "ssl.key.location",
    "ssl_password": "ssl.key.password",
    "ssl_check_hostname": "ssl.endpoint.identification.algorithm",
    "sasl_plain_username": "sasl.username",
    "sasl_plain_password": "sasl.password",
}
WITH_UNDERSCORE = {"log_level"}


def named_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options by librdkafka's names.

    Raises ValueError for a name with underscores, with the right one.
    """
    options = dict(_flat(given))
    for name in options:
        if "_" in name and name not in WITH_UNDERSCORE:
            right = OF_KAFKA_PYTHON.get(name, name.replace("_", "."))
            raise ValueError(f"{name!r} is no name of librdkafka's: did you mean {right!r}?")
    return options


def _flat(given: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in given.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield before + name, value
