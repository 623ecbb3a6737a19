"""Infrastructure: is an error the outage of something, or the agent's own doing?

An outage is never a reward, a rejected answer or a failure rate, so a doubt about words that
name one (a 5xx, a timeout, a rate limit, a connection fault) falls on the outage's side. Only
texts that are errors already are asked about: a flight that costs 503 is no outage.
"""

import re

_STATUS = re.compile(
    r"\b(?:http(?:/\d(?:\.\d)?)?|status(?:[ _-]?code)?|code)\W{0,4}(?:5\d\d|429|408)\b"
    r"|\b5\d\d\W{1,3}(?:internal server error|bad gateway|service unavailable|gateway time-?out"
    r"|server error|network|insufficient storage|overloaded)"
    r"|\b429\W{1,3}too many requests|\b408\W{1,3}request time-?out",
    re.IGNORECASE,
)
_WORDS = re.compile(
    r"internal server error|bad gateway|service (?:is )?(?:temporarily )?unavailable"
    r"|temporarily unavailable|\btimed[ -]?out\b|\btime-?out\b|deadline exceeded"
    r"|rate[ _-]?limit|too many requests|quota exceeded|throttl(?:ed|ing)|overloaded"
    r"|connection (?:was )?(?:refused|reset|aborted|closed|error|failed|lost)"
    r"|(?:failed|unable|could not) to connect|could not connect|network (?:is )?unreachable"
    r"|no route to host|name or service not known|temporary failure in name resolution"
    r"|getaddrinfo|broken pipe|remote end closed|server disconnected|\bssl\w*error"
    r"|\becon(?:nrefused|nreset|naborted)\b|\betimedout\b|\behostunreach\b|\beai_again\b"
    r"|(?:connect|read|write|pool)timeout|connection(?:reset|refused|aborted)?error"
    r"|apiconnectionerror|internalservererror|serviceunavailable(?:error)?",
    re.IGNORECASE,
)


def names_an_outage(error_text: str) -> bool:
    """Return whether the text of an error names an outage.

    >>> names_an_outage("Error: 503 Service Unavailable")
    True
    >>> names_an_outage("Error: payment amount does not add up, total price is 503")
    False
    """
    head = error_text[:2000]
    return bool(_STATUS.search(head) or _WORDS.search(head))
