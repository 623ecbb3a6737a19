import tomllib

import pytest

from tracemill.ingest.client_options import named_options


@pytest.mark.parametrize(
    "text",
    [
        'ssl.ca.location = "ca.pem"\nsecurity.protocol = "SSL"\nlog_level = 7',
        '"ssl.ca.location" = "ca.pem"\n"security.protocol" = "SSL"\nlog_level = 7',
        'log_level = 7\n[ssl]\nca.location = "ca.pem"\n[security]\nprotocol = "SSL"',
    ],
)
def test_toml_says_a_name_with_dots_in_several_ways(text: str) -> None:
    assert named_options(tomllib.loads(text)) == {
        "ssl.ca.location": "ca.pem",
        "security.protocol": "SSL",
        "log_level": 7,
    }


@pytest.mark.parametrize(
    ("name", "right"),
    [("security_protocol", "security.protocol"), ("ssl_cafile", "ssl.ca.location")],
)
def test_a_name_with_underscores_is_refused_with_the_right_one(name: str, right: str) -> None:
    with pytest.raises(ValueError, match=f"'{name}' is no name .* did you mean '{right}'"):
        named_options({name: "x"})
