"""How well and how fast personal data is found: `python -m bench.ingest_redaction`.

Faker (another author than our patterns') makes the identifiers, so recall is no self-praise; keys
and tokens, which it lacks, are made here. Texts are those of `bench.ingest_stream`. Engines that
are not installed are left out. The last line is JSON.
"""

import importlib
import importlib.util
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import orjson

from bench.ingest_stream import stream
from tracemill.ingest.redact import Redactor
from tracemill.ingest.redaction_patterns import KINDS, UNBOUND_KINDS

TEXTS = 20_000
LOCALES = ("en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "pt_BR", "nl_NL", "sv_SE")
ALPHANUMERIC = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
TOKENS = (
    ("sk-proj-", 40), ("sk-ant-api03-", 80), ("ghp_", 36), ("glpat-", 20), ("xoxb-1234567890-", 24),
    ("AIza", 35), ("sk_live_", 24), ("hf_", 34), ("npm_", 36), ("gsk_", 48),
)  # fmt: skip
Span = tuple[int, int]


class Labelled(NamedTuple):
    """A text, and what was planted in it."""

    text: str
    planted: tuple[tuple[str, int, int], ...]
    """(kind, start, end)."""


class Result(NamedTuple):
    """How one engine did."""

    engine: str
    recall: float
    """Of all but bare numbers: a phone number without any form is any number."""
    precision: float
    mb_per_s: float
    recall_by_kind: dict[str, float]


def sample(seed: int = 0) -> list[Labelled]:
    """Return the labelled texts; one in five holds an identifier."""
    rng = random.Random(seed)
    texts = _texts()
    makers = list(_makers(seed))
    labelled = []
    for _ in range(TEXTS):
        text = next(texts)
        if rng.random() < 0.2:
            kind, make = rng.choice(makers)
            value = make()
            kind = "bare_number" if kind == "phone" and value.isdigit() else kind
            at = text.find(" ", rng.randrange(len(text))) + 1
            text = f"{text[:at]}{value} {text[at:]}"
            labelled.append(Labelled(text, ((kind, at, at + len(value)),)))
        else:
            labelled.append(Labelled(text, ()))
    return labelled


def _texts() -> Iterator[str]:
    """Yield the attribute texts of the stream, without what it plants itself."""
    redactor = Redactor(b"bench" * 8)
    for made in stream(TEXTS, seed=1):
        for span in orjson.loads(made.value)["resourceSpans"][0]["scopeSpans"][0]["spans"]:
            for pair in span["attributes"]:
                text = pair["value"].get("stringValue", "")
                if 100 < len(text) < 4000 and redactor.text(text) == text:
                    yield text


def _makers(seed: int) -> Iterator[tuple[str, Callable[[], str]]]:
    rng = random.Random(seed)
    for start, length in TOKENS:
        yield "secret", partial(_token, rng, start, length)
    if importlib.util.find_spec("faker") is None:
        return
    Faker: Any = importlib.import_module("faker").Faker  # noqa: N806  # a class of theirs
    for locale in LOCALES:
        faker = Faker(locale)
        faker.seed_instance(seed)
        yield "email", faker.email
        yield "phone", faker.phone_number
        yield "iban", faker.iban
        yield "card", faker.credit_card_number
        yield "ip", faker.ipv4_public
    faker = Faker("en_US")
    yield "ip", faker.ipv6
    yield "national_id", faker.ssn
    yield "national_id", Faker("it_IT").ssn
    yield "national_id", Faker("pt_BR").cpf
    yield "national_id", Faker("es_ES").nif


def _token(rng: random.Random, start: str, length: int) -> str:
    return start + "".join(rng.choices(ALPHANUMERIC, k=length))


def engines() -> Iterator[tuple[str, Callable[[str], list[Span]]]]:
    """Yield each engine that is installed, as a function from a text to what it finds."""
    redactor = Redactor(b"bench" * 8)
    yield "ours (rurex)", lambda text: [found[:2] for found in redactor._found(text)]
    patterns = [
        (r"[\w.%+-]{1,64}" if kind.begins_before else "") + kind.pattern
        for kind in (*UNBOUND_KINDS, *KINDS)
    ]
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    plain = re.compile(joined)
    yield "re, the same patterns", lambda text: [m.span() for m in plain.finditer(text)]
    if importlib.util.find_spec("re2"):
        linear: Any = importlib.import_module("re2").compile(joined)
        yield (
            "google-re2, the same patterns",
            lambda text: [m.span() for m in linear.finditer(text)],
        )
    if importlib.util.find_spec("datafog"):
        module = "datafog.processing.text_processing.regex_annotator"
        annotator: Any = importlib.import_module(module).RegexAnnotator()
        yield "datafog", lambda text: list(_located(text, annotator.annotate(text)))


def _located(text: str, found: dict[str, list[str]]) -> Iterator[Span]:
    for values in found.values():
        for value in values:
            if value and (at := text.find(value)) >= 0:
                yield at, at + len(value)


def measure(name: str, find: Callable[[str], list[Span]], texts: list[Labelled]) -> Result:
    """Return recall, precision and speed of one engine."""
    planted, found, right, wrong = Counter[str](), Counter[str](), 0, 0
    slow = texts if name.startswith(("ours", "google")) else texts[:2000]
    began = time.process_time()
    hits = [find(one.text) for one in slow]
    seconds = time.process_time() - began
    for one, spans in zip(slow, hits, strict=True):
        for kind, start, end in one.planted:
            planted[kind] += 1
            found[kind] += any(s <= start + 1 and e >= end - 1 for s, e in _merged(spans))
        for s, e in spans:
            is_right = any(s < end and start < e for _, start, end in one.planted)
            right, wrong = right + is_right, wrong + (not is_right)
    formed = [kind for kind in planted if kind != "bare_number"]
    size = sum(len(one.text.encode()) for one in slow)
    return Result(
        engine=name,
        recall=sum(found[k] for k in formed) / sum(planted[k] for k in formed),
        precision=right / max(1, right + wrong),
        mb_per_s=size / 1e6 / seconds,
        recall_by_kind={kind: found[kind] / planted[kind] for kind in sorted(planted)},
    )


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def main() -> dict[str, Any]:
    """Print a table, and return what the JSON line says."""
    texts = sample()
    results = [measure(name, find, texts) for name, find in engines()]
    for one in results:
        kinds = "  ".join(f"{kind} {share:.3f}" for kind, share in one.recall_by_kind.items())
        sys.stdout.write(
            f"{one.engine:32} recall {one.recall:.4f}  precision {one.precision:.4f}  "
            f"{one.mb_per_s:7.1f} MB/s  {kinds}\n"
        )
    return {one.engine: one._asdict() for one in results}


if __name__ == "__main__":
    sys.stdout.write(orjson.dumps(main()).decode() + "\n")
