"""Redactor: text in, the same text without personal data and secrets out.

It runs before the first write. The same value gives the same placeholder under the key of the
deployment, so a conversation stays coherent, and a user's records can be found again. Whatever
it cannot read is not passed on.
"""

import hashlib
import os
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import orjson
import rurex
from pydantic import JsonValue

from tracemill.errors import SettingsError
from tracemill.ingest.options import RedactionOptions
from tracemill.ingest.redaction_patterns import KINDS, UNBOUND_KINDS, Kind

SHORTEST = 7
"""Shorter texts hold nothing that is recognised."""
LONGEST_NAME = 64
"""Characters before the @ of an e-mail address (RFC 5321)."""
WORTH_REMEMBERING = 200
"""In a shorter text values are replaced as fast as it is looked up."""
MEMO_CHARACTERS = 500_000
"""In the texts remembered: all spans of an agent repeat its instructions. Those in which nothing is
found are not: to hash a text takes as long as to look through it."""
MOST_NAMES = 4096
"""Names of attributes that are remembered to be harmless."""
SECRET_FIELDS = frozenset(
    ("password", "passwd", "secret", "api_key", "apikey", "access_token", "refresh_token",
     "authorization", "client_secret", "private_key", "ssn", "cvv", "card_number")
)  # fmt: skip
PseudonymKind = Literal["user", "tenant"]
Found = tuple[int, int, Kind]
"""From where to where in a text, and what it is."""
_BORDER = r"(?:(?-u:\b)|\\[bfnrt]|\\u[0-9a-fA-F]{4})"
"""A word begins, or (in escaped JSON) an escape ends, whose letter would hide the border."""


class Redactor:
    """Replaces what the tables of kinds and the team's own patterns recognise."""

    def __init__(self, key: bytes, options: RedactionOptions | None = None) -> None:
        """Raises SettingsError if a pattern of the team's own is no regular expression."""
        options = options or RedactionOptions()
        self._key = key
        self._fields = SECRET_FIELDS | {field.lower() for field in options.fields}
        own = tuple(Kind(name, pattern) for name, pattern in options.patterns.items())
        self._kinds = (*own, *_field_kinds(options.fields), *UNBOUND_KINDS, *KINDS)
        self._unbound = len(self._kinds) - len(KINDS)
        self._pattern = _compile(self._kinds, self._unbound, options)
        self._by_group = {f"k{index}": kind for index, kind in enumerate(self._kinds)}
        self._later = _later_kinds(KINDS)
        self._memo: dict[str, str] = {}
        self._remembered = 0
        self._harmless: set[str] = set()

    def text(self, text: str) -> str:
        """Return the text with each recognised value replaced by `[kind:digest]`."""
        return text if len(text) < SHORTEST else self._replace(text)

    def value(self, value: JsonValue) -> JsonValue:
        """Return the JSON value with every text in it redacted, and secret fields replaced."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(name): self._field(name, item) for name, item in value.items()}
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, int) and abs(value) > 10**11:
            redacted = self.text(str(value))
            return value if redacted == str(value) else redacted
        return value

    def attributes(self, attributes: Mapping[str, Any]) -> dict[str, JsonValue]:
        """Return the values under their (dotted) names, redacted: most of all text comes here."""
        redacted: dict[str, JsonValue] = dict(attributes)
        if not self._harmless.issuperset(redacted):
            return {name: self._attribute(name, value) for name, value in redacted.items()}
        is_match = self._pattern.is_match
        for name, value in attributes.items():
            if type(value) is not str:
                redacted[name] = self.value(value)
            elif len(value) >= SHORTEST and is_match(value):
                redacted[name] = self._replaced(value)
        return redacted

    def _attribute(self, name: str, value: JsonValue) -> JsonValue:
        if name not in self._harmless:
            last = name.rpartition(".")[2].lower()
            if last in self._fields:
                return self._field(last, value)
            if len(self._harmless) < MOST_NAMES:
                self._harmless.add(name)
        return self.text(value) if isinstance(value, str) else self.value(value)

    def _field(self, name: str, value: JsonValue) -> JsonValue:
        is_scalar = isinstance(value, str | int | float) and not isinstance(value, bool)
        if is_scalar and value and name.lower() in self._fields:
            return self._placeholder("field", str(value))
        return self.value(value)

    def pseudonym(self, name: str, kind: PseudonymKind = "user") -> str:
        """Return the name under which this user (or tenant) is kept."""
        return f"{kind}-{self._digest(self.text(name), 8)}"

    def raw(self, data: bytes) -> bytes:
        """Return bytes of an unknown kind, redacted; what is no UTF-8 keeps its length."""
        try:
            return self._replace(data.decode("utf-8")).encode("utf-8")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
            spans = ((start, end, "*" * (end - start)) for start, end, _ in self._found(text))
            return _splice(text, spans).encode("latin-1")

    def _replace(self, text: str) -> str:
        return self._replaced(text) if self._pattern.is_match(text) else text

    def _replaced(self, text: str) -> str:
        """Return a text, in which something is to be replaced, as `text` does."""
        if len(text) < WORTH_REMEMBERING:
            return self._replaced_anew(text)
        known = self._memo.get(text)
        if known is None:
            known = self._replaced_anew(text)
            self._remembered += len(text)
            if self._remembered > MEMO_CHARACTERS:
                self._memo.clear()
                self._remembered = len(text)
            self._memo[text] = known
        return known

    def _replaced_anew(self, text: str) -> str:
        spans = [
            (start, end, self._placeholder(kind.name, text[start:end]))
            for start, end, kind in self._found(text)
        ]
        if text[:1] in ("{", "[") and any(_is_number(text, start, end) for start, end, _ in spans):
            try:
                return orjson.dumps(self.value(orjson.loads(text))).decode()
            except (orjson.JSONDecodeError, TypeError):
                pass  # no JSON after all
        return _splice(text, spans)

    def _found(self, text: str) -> Iterable[Found]:
        for match in self._pattern.finditer(text):
            group = match.lastgroup
            start, end = match.span(group)
            kind = self._by_group[group]
            found = _checked(text, start, end, kind)
            if found is None and text[start:end].isdigit():
                found = self._another(text, start, end, kind)
            if found is not None:
                yield found

    def _another(self, text: str, start: int, end: int, kind: Kind) -> Found | None:
        """Return a run of digits as one of a later kind: the first that matched was wrong."""
        for other, pattern in self._later.get(kind.pattern, ()):
            if pattern.fullmatch(text[start:end]) is not None:
                found = _checked(text, start, end, other)
                if found is not None:
                    return found
        return None

    def _placeholder(self, kind: str, value: str) -> str:
        if value.startswith("["):
            return value
        normal = "".join(value.lower().split()) if kind != "secret" else value
        return f"[{kind}:{self._digest(normal, 6)}]"

    def _digest(self, value: str, size: int) -> str:
        data = value.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(data, key=self._key, digest_size=size).hexdigest()


def _is_number(text: str, start: int, end: int) -> bool:
    """Whether it stands in JSON like a number: a placeholder there must be put in quotes."""
    before, after = text[:start].rstrip("- \n\t")[-1:], text[end:].lstrip()[:1]
    is_number = not text[start:end].strip("0123456789.eE+-")
    return is_number and before in tuple(":,[") and after in tuple(",}]")


def _checked(text: str, start: int, end: int, kind: Kind) -> Found | None:
    """Return what is to be replaced of a candidate; None if it is no identifier."""
    if kind.begins_before:
        begin = _begin_of_name(text, start)
        return (begin, end, kind) if begin < start and text[begin:start] != "git" else None
    candidate = text[start:end]
    length = kind.check(candidate)
    if not length or _continues(text, start, start + length):
        return None
    if not kind.value_after:
        return start, start + length, kind
    kept = max(candidate[:length].rfind(sign, 0, length - 1) for sign in kind.value_after) + 1
    tail = 1 if candidate.endswith("@") else 0
    return start + kept, start + length - tail, kind


def _begin_of_name(text: str, end: int) -> int:
    """Return where the name before an @ begins: after an escape, not within it."""
    start = end
    while (
        start
        and end - start < LONGEST_NAME
        and (text[start - 1].isalnum() or text[start - 1] in "._%+-")
    ):
        start -= 1
    if start and text[start - 1] == "\\" and text[start : start + 1] in tuple("bfnrt"):
        return start + 1
    return start


def _continues(text: str, start: int, end: int) -> bool:
    """Whether a number goes on beyond the candidate (1.2.3.4.5, 555-1234567)."""
    after = text[end : end + 2]
    before = text[start - 1 : start] if start else ""
    if after[:1].isalnum() and text[end - 1 : end].isalnum():
        return True
    is_number = text[start : start + 1].isdigit()
    return is_number and (
        before in (".", "#", "_") or (after[:1] in (".", "-", "_") and after[1:].isdigit())
    )


def _splice(text: str, spans: Iterable[tuple[int, int, str]]) -> str:
    parts, last = [], 0
    for start, end, replacement in spans:
        parts += [text[last:start], replacement]
        last = end
    if not parts:
        return text
    return "".join([*parts, text[last:]])


def _field_kinds(fields: Iterable[str]) -> Iterable[Kind]:
    """The team's own fields inside JSON that is itself a text."""
    for field in fields:
        name = rurex.escape(field)
        yield Kind("field", rf"""\"(?i:{name})\\*\"\s*:\s*\\*\"[^\"\\]+""", value_after='"')


def _later_kinds(kinds: tuple[Kind, ...]) -> dict[str, tuple[tuple[Kind, "rurex.Pattern"], ...]]:
    """Return, for each kind's pattern, the kinds after it, each with a pattern of its own."""
    compiled = tuple((kind, rurex.compile(kind.pattern)) for kind in kinds)
    return {kind.pattern: compiled[index + 1 :] for index, (kind, _) in enumerate(compiled)}


def _compile(kinds: tuple[Kind, ...], unbound: int, options: RedactionOptions) -> "rurex.Pattern":
    groups = [f"(?P<k{index}>{kind.pattern})" for index, kind in enumerate(kinds)]
    free, bound = "|".join(groups[:unbound]), "|".join(groups[unbound:])
    try:
        return rurex.compile(f"{free}|{_BORDER}(?:{bound})")
    except rurex.PatternError as error:
        raise SettingsError(
            f"A pattern of {sorted(options.patterns)} is no regular expression: {error}"
        ) from error


def load_key(path: Path) -> bytes:
    """Return the key of this deployment, made once with the rights of its owner only.

    Raises SettingsError if the file is there but holds no key.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read_key(path)
    key = secrets.token_bytes(32)
    with os.fdopen(handle, "w") as file:
        file.write(key.hex())
    return key


def _read_key(path: Path) -> bytes:
    try:
        key = bytes.fromhex(path.read_text().strip())
    except ValueError:
        key = b""
    if len(key) < 16:
        raise SettingsError(f"The redaction key {str(path)!r} is damaged: restore it.")
    return key
