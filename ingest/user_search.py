"""User search: where the store speaks of a user, beside the traces that are whole.

Spans that wait (or were of no agent) carry the pseudonym; the bytes of a dead letter were never
read, so they may hold the user's own id.
"""

import re
from collections.abc import Callable, Iterator

import zstandard

from tracemill.ingest.statement import statement
from tracemill.ingest.store import Store
from tracemill.ingest.wire import WireRecord

LONGEST_NAME = 200
"""Characters of a user's id."""
BATCHES_AT_ONCE = 20
LETTERS_AT_ONCE = 20
_TEXT = re.compile(r'[^"\\]+')
"""What stands between quotation marks in JSON, or in JSON within a text of JSON."""
_NUMBER = re.compile(r"-?\d+")
_RUN = re.compile(rb"[\x20-\x7e]{1,204}")
_ID = re.compile(rb"\x0a\x10([\x00-\xff]{16})")
"""The first field, of 16 bytes, of a message in protobuf: in a span, its trace's id."""


def traces_in_pieces(store: Store, text: str) -> frozenset[str]:
    """Return the ids of the traces of which some span holds this text, closed or not."""
    sought, unpacker = text.encode(), zstandard.ZstdDecompressor()
    return frozenset(
        trace_id for trace_id, body in _fragments(store) if sought in unpacker.decompress(body)
    )


def _fragments(store: Store) -> Iterator[tuple[str, bytes]]:
    ((first, last),) = store.execute(statement(__file__, "fragments_range"))
    for begin in range(first, last + 1, BATCHES_AT_ONCE):
        yield from store.execute(
            statement(__file__, "fragments_between"), [begin, begin + BATCHES_AT_ONCE - 1]
        )


def letters_with(store: Store, is_theirs: Callable[[str], bool]) -> list[str]:
    """Return the ids of the dead letters that hold a word of which this is true."""
    ids = [name for (name,) in store.execute(statement(__file__, "dead_letters_ids"))]
    found = []
    for begin in range(0, len(ids), LETTERS_AT_ONCE):
        page = ids[begin : begin + LETTERS_AT_ONCE]
        for name, said, key, headers, value in store.execute(
            statement(__file__, "dead_letters_kept"), [page]
        ):
            record = WireRecord("", 0, 0, 0, key, value, ((headers, None),))
            if any(map(is_theirs, words_in(record) | set(said.split()))):
                found.append(name)
    return found


def words_in(record: WireRecord) -> set[str]:
    """Return the texts and whole numbers of a record that may be somebody's id.

    JSON within a text of JSON is looked through, too; of a key or header also the whole counts.
    """
    parts = [record.key or b"", record.value or b""]
    parts += [part for name, data in record.headers for part in (name.encode(), data or b"")]
    words: set[str] = set()
    for part in parts:
        try:
            text = part.decode()
        except UnicodeDecodeError:
            words.update(_words_of_bytes(part))
        else:
            words |= {text, *_TEXT.findall(text), *_NUMBER.findall(text)}
    return {word for word in words if 0 < len(word) <= LONGEST_NAME}


def _words_of_bytes(data: bytes) -> Iterator[str]:
    """The texts and trace ids in protobuf, where the bytes around a text may look like text too."""
    for found in _ID.finditer(data):
        yield found[1].hex()
    for run in _RUN.findall(data):
        text = run.decode()
        for begin in (0, 1):
            yield from (text[begin : len(text) - tail] for tail in (0, 1, 2))
