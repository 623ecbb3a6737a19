"""What is recognised in text and replaced: one table of kinds.

The patterns are in the syntax of Rust's regex engine, which has no look-around and no
backtracking: one pass finds the candidates of all kinds, and the checks run on those alone.
"""

from collections.abc import Callable
from typing import NamedTuple

from tracemill.ingest import redaction_checks as check


class Kind(NamedTuple):
    """One kind of identifier or secret."""

    name: str
    """Of the placeholder: `[email:…]`."""
    pattern: str
    check: Callable[[str], int] = check.whole
    """Length of the part of a candidate to replace; 0: leave it."""
    begins_before: bool = False
    """An e-mail address is found by its @, then its beginning: many times faster."""
    value_after: str = ""
    """Only what follows the last of these characters in the candidate is replaced."""


_TOKENS = (
    r"sk-[A-Za-z0-9_-]{20,}",  # OpenAI, Anthropic, OpenRouter, Langfuse
    r"pk-lf-[0-9a-f-]{36}",
    r"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}",  # AWS
    r"gh[pousr]_[A-Za-z0-9]{30,255}",
    r"github_pat_[A-Za-z0-9_]{22,255}",
    r"gl(?:pat|dt|rt|ptt|cbt|soat)-[A-Za-z0-9_-]{20,}",
    r"xox[abeoprs]-[A-Za-z0-9-]{10,}",  # Slack
    r"xapp-[0-9]-[A-Za-z0-9-]{10,}",
    r"AIza[A-Za-z0-9_-]{30,}",  # Google
    r"ya29\.[A-Za-z0-9_-]{20,}",
    r"GOCSPX-[A-Za-z0-9_-]{20,}",
    r"[srp]k_(?:live|test)_[A-Za-z0-9]{10,}",  # Stripe
    r"whsec_[A-Za-z0-9+/=]{16,}",
    r"hf_[A-Za-z0-9]{30,}",  # Hugging Face
    r"npm_[A-Za-z0-9]{36}",
    r"pypi-[A-Za-z0-9_-]{50,}",
    r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",  # SendGrid
    r"(?:AC|SK)[0-9a-f]{32}",  # Twilio
    r"do[opr]_v1_[0-9a-f]{64}",  # DigitalOcean
    r"gsk_[A-Za-z0-9]{40,}",  # Groq
    r"xai-[A-Za-z0-9]{40,}",
    r"pplx-[A-Za-z0-9]{40,}",
    r"nvapi-[A-Za-z0-9_-]{40,}",
    r"r8_[A-Za-z0-9]{37,}",  # Replicate
    r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}",  # LangSmith
    r"dapi[0-9a-f]{32}",  # Databricks
    r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",  # Shopify
    r"(?:ntn_|secret_)[A-Za-z0-9]{40,}",  # Notion
    r"lin_api_[A-Za-z0-9]{30,}",
    r"figd_[A-Za-z0-9_-]{30,}",
    r"sq0(?:atp|csp)-[A-Za-z0-9_-]{20,}",
    r"key-[0-9a-f]{32}",  # Mailgun
    r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}",  # Telegram
    r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",  # JWT
)
_NAME_OF_ONE = (
    r"(?i:(?:api|secret|access|auth|private|account|client)[_-]?(?:key|token|secret)|"
    r"password|passwd|pwd|secret|token|aws_secret_access_key|aws_session_token)"
)

KINDS: tuple[Kind, ...] = (
    Kind("secret", "|".join(_TOKENS), check.mixed_token),
    Kind("secret", r"(?i:bearer)\s+[A-Za-z0-9._~+/-]{16,}=*", check.mixed_token, value_after=" \t\n"),
    Kind(
        "secret",
        _NAME_OF_ONE + r"""[\\"']{0,4}\s{0,4}[:=]\s{0,4}[\\"']{0,4}[^\s"'\\,;}\])]{8,}""",
        check.assigned_secret,
        value_after=":=\"' \t\n\\",
    ),
    Kind("secret", r"hooks\.slack\.com/services/[A-Za-z0-9/]{20,}", check.whole),
    Kind("secret", r"[a-z][a-z0-9+]{1,12}://[^\s/:@\"']{1,64}:[^\s/@\"']{3,128}@", check.whole, value_after="/"),
    Kind("iban", r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,30}", check.iban),
    Kind(
        "card",
        r"[0-9]{4}(?:[ -][0-9]{4}){3}(?:[ -][0-9]{3})?|[0-9]{4}[ -][0-9]{6}[ -][0-9]{4,5}|[1-6][0-9]{11,18}",
        check.card,
    ),
    Kind("national_id", r"[1-2] [0-9]{2} [0-9]{2} [0-9]{2} [0-9]{3} [0-9]{3} [0-9]{2}", check.french_id),
    Kind("national_id", r"[1-2][0-9]{2}(?:0[1-9]|1[0-2])[0-9]{10}", check.french_id),
    Kind("national_id", r"[0-9]{3}-[0-9]{2}-[0-9]{4}", check.american_ssn),
    Kind(
        "national_id",
        r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]",
    ),
    Kind("national_id", r"(?:[0-9]{8}|[XYZ]-?[0-9]{7})-?[A-HJ-NP-TV-Z]", check.spanish_id),
    Kind("national_id", r"[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z]", check.italian_id),
    Kind("national_id", r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}", check.brazilian_id),
    Kind("national_id", r"[2-9][0-9]{3}[ -][0-9]{4}[ -][0-9]{4}", check.indian_id),
    Kind("national_id", r"(?:19|20)?[0-9]{2}[01][0-9][0-3][0-9][-+][0-9]{4}", check.swedish_id),
    Kind("ip", r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}", check.ipv4),
    Kind("ip", r"[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{0,4}){2,7}", check.ipv6),
    Kind("phone", r"(?:(?:00)?1[ .-])?[0-9]{3}(?:-[0-9]{3}-|\.[0-9]{3}\.| [0-9]{3}[ -])[0-9]{4}(?:x[0-9]{1,5})?", check.american_phone),
    Kind("phone", r"0[0-9]{2,4}(?:[ /-][0-9]{5,8}|[ -][0-9]{3,4}[ -][0-9]{3,4})", check.national_phone),
    Kind("phone", r"0[1-9](?:[ .][0-9]{2}){4}", check.national_phone),
    Kind("phone", r"0[0-9]{1,3}-[0-9]{2,3}(?: [0-9]{2,3}){1,2}", check.grouped_phone),
    Kind("phone", r"[1-9][0-9] 9?[0-9]{4}-[0-9]{4}", check.brazilian_phone),
    Kind(
        "phone",
        r"(?i:phone|mobile|cell|whatsapp|fax|tel)[a-z_. ]{0,16}[\\\"']{0,3}[ :=]{1,3}[\\\"']{0,3}[0-9]{9,12}",
        value_after=" :=\"'\\",
    ),
)  # fmt: skip
"""Kinds that begin with a letter or digit, and so at the border of a word. First match wins."""

UNBOUND_KINDS: tuple[Kind, ...] = (
    Kind(
        "email",
        r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.)+[A-Za-z]{2,24}",
        check.whole,
        begins_before=True,
    ),
    Kind(
        "private_key",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[^\"]*?"
        r"(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|$)",
    ),
    Kind(
        "phone",
        r"\+[0-9](?:[ .-]?\(?[0-9]\)?){6,13}[ .-]?[0-9](?:x[0-9]{1,5})?",
        check.international_phone,
    ),
    Kind("phone", r"\([0-9]{3}\) ?[0-9]{3}[ .-][0-9]{4}(?:x[0-9]{1,5})?", check.american_phone),
    Kind(
        "phone", r"\(0[0-9]{2,5}\)[ -]?(?:[0-9]{3,4} [0-9]{3,4}|[0-9]{4,8})", check.national_phone
    ),
)
"""Kinds that begin with a sign."""
