import pytest

from tracemill.curation.infrastructure import names_an_outage


@pytest.mark.parametrize(
    "text",
    [
        "Error: 503 Service Unavailable",
        "HTTP 502",
        "status_code: 429",
        "Error code: 529 - {'type': 'overloaded_error'}",
        "openai.RateLimitError: Rate limit reached for gpt-4o",
        "requests.exceptions.ConnectionError: Max retries exceeded",
        "Error: request timed out after 30s",
        "httpx.ReadTimeout",
        "ConnectionResetError: [Errno 104] Connection reset by peer",
        "Error: ECONNREFUSED 10.0.0.3:5432",
        "Too Many Requests",
        "Tool failed: deadline exceeded",
    ],
)
def test_an_outage_is_told_by_its_words(text: str) -> None:
    assert names_an_outage(text)


@pytest.mark.parametrize(
    "text",
    [
        "Error: payment amount does not add up, total price is 503, but paid 429",
        "Error: order 503 not found",
        "Error: flight HAT503 not available on date 2024-05-13",
        "Error: gift card balance is not enough",
        "Error: discount code 12 is unknown",
        "ValueError: invalid literal for int()",
    ],
)
def test_the_agents_own_errors_are_no_outage_even_with_such_numbers(text: str) -> None:
    assert not names_an_outage(text)
