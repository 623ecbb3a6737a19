"""Personal data and secrets are found, and nothing else is damaged."""

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import JsonValue

from tests.ingest.reading import KEY
from tests.ingest.redaction_sample import HARMLESS, PLANTED
from tracemill.errors import SettingsError
from tracemill.ingest.files import FileSource
from tracemill.ingest.options import RedactionOptions
from tracemill.ingest.redact import Redactor, load_key

REDACTOR = Redactor(KEY)


@pytest.mark.parametrize(
    ("kind", "value"), [(kind, v) for kind, values in PLANTED.items() for v in values]
)
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "I wrote {} there, didn't I?",
        "({})",
        "x: {}.",
        "\\n{}\\n",
        '"{}"',
        "a\n{}\tb",
        "é {} é",
    ],
)
def test_an_identifier_is_replaced_in_any_surroundings(kind: str, value: str, around: str) -> None:
    before, after = around.split("{}")

    redacted = REDACTOR.text(before + value + after)

    assert value not in redacted
    assert f"[{kind}:" in redacted
    assert redacted.startswith(before)
    assert redacted.endswith(after)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_alike_is_left_as_it_is(text: str) -> None:
    assert REDACTOR.text(text) == text


def test_the_same_value_gives_the_same_placeholder_and_another_key_another() -> None:
    one, two = REDACTOR.text("ann@example.com"), REDACTOR.text("Write to ANN@example.com!")

    assert one in two
    assert Redactor(b"another key of 32 bytes, or more").text("ann@example.com") != one


@pytest.mark.parametrize(
    "text", ['{"phone_number": "4155552671"}', "my cell is: 4155552671", "Tel. 0301234567"]
)
def test_a_number_without_form_is_a_phones_where_its_name_says_so(text: str) -> None:
    assert "4155552671" not in REDACTOR.text(text)
    assert "0301234567" not in REDACTOR.text(text)


@given(st.text(max_size=60))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = REDACTOR.text(text + " ann@example.com 4111 1111 1111 1111")

    assert REDACTOR.text(once) == once


@example({"PASSWD": -1000000, "api_key": 12345678, "token": 1.2345678e22})
@example({"card": -4398046511105, "other": [4398046511105]})
@given(st.dictionaries(st.text(max_size=8), st.text(max_size=30) | st.integers(), max_size=5))
def test_json_inside_a_text_stays_json(value: dict[str, object]) -> None:
    text = json.dumps(
        {**value, "mail": "\nann@example.com", "key": "\tsk-proj-abcdefghij0123456789"}
    )

    redacted = json.loads(REDACTOR.text(text))

    assert redacted["mail"].startswith("\n[email:")
    assert redacted["key"].startswith("\t[secret:")


def test_secret_fields_are_replaced_whole_and_the_teams_own_too() -> None:
    redactor = Redactor(
        KEY, RedactionOptions(fields=("pet_name",), patterns={"staff": r"EMP-[0-9]{4}"})
    )
    value: JsonValue = {
        "password": "ab",
        "Pet_Name": "Rex",
        "nested": [{"api_key": "x"}],
        "note": "by EMP-0042",
    }

    redacted = redactor.value(value)

    assert isinstance(redacted, dict)
    assert str(redacted["password"]).startswith("[field:")
    assert str(redacted["Pet_Name"]).startswith("[field:")
    assert str(redacted["note"]).startswith("by [staff:")
    assert "[field:" in str(redacted["nested"])
    assert redactor.text('{"pet_name": "Rex"}') != '{"pet_name": "Rex"}'
    assert str(redactor.attributes({"app.password": "x1"})["app.password"]).startswith("[field:")


def test_a_card_that_is_a_number_is_replaced_and_other_numbers_are_not() -> None:
    assert REDACTOR.value({"n": 4111111111111111, "m": 1760000000000000000, "k": 7}) == {
        "n": REDACTOR.text("4111111111111111"), "m": 1760000000000000000, "k": 7,
    }  # fmt: skip


def test_bytes_that_are_no_text_keep_their_length() -> None:
    data = b"\x0a\xff\xfe ann@example.com \x00"

    redacted = REDACTOR.raw(data)

    assert len(redacted) == len(data)
    assert b"ann@example.com" not in redacted


def test_a_pattern_that_is_none_is_refused_with_its_name() -> None:
    with pytest.raises(SettingsError, match="staff"):
        Redactor(KEY, RedactionOptions(patterns={"staff": "("}))


def test_the_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "redaction.key"

    assert load_key(path) == load_key(path)
    assert path.stat().st_mode & 0o077 == 0
    path.write_text("short")
    with pytest.raises(SettingsError, match="damaged"):
        load_key(path)


def test_nothing_but_addresses_is_replaced_in_recorded_tool_calls(real_traces: Path) -> None:
    source = FileSource([real_traces / "tau-bench" / "historical_trajectories"])
    texts = [
        record.value or b""
        for batch in source.read(lambda t, p: None, 500)
        for record in batch.records
    ]
    calls = [
        call["function"]["arguments"]
        for text in texts
        for message in json.loads(text)["traj"]
        for call in message.get("tool_calls") or ()
    ]

    assert len(calls) == 1164
    assert [call for call in calls if "@" not in call and REDACTOR.text(call) != call] == []
