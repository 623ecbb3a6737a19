"""The commands as a person runs them: in a process of their own, on real files and a real store."""

import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tracemill.ingest.store import Store

MAPPING = """
[ingest.topics.desk.mapping]
id = "id"
messages = "messages"
reward = "reward"
"""


def tracemill(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tracemill", *arguments],
        cwd=cwd,
        env={**os.environ, "COLUMNS": "160", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose three traces lie in the folder `desk`: one is fine, two failed."""
    (tmp_path / "tracemill.toml").write_text(MAPPING)
    (tmp_path / "desk").mkdir()
    lines = [_episode("a", "ok", 1.0)]
    lines += [_episode(name, "Error: order 17 is not delivered yet", 0.0) for name in "bc"]
    (tmp_path / "desk" / "log.jsonl").write_text("\n".join(lines))
    return tmp_path


def _episode(name: str, reply: str, reward: float) -> str:
    call = {"name": "refund_order", "arguments": '{"order_id": 17}'}
    return json.dumps(
        {
            "id": name,
            "reward": reward,
            "messages": [
                {"role": "user", "content": "Money back for order 17, please"},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": "call-1", "type": "function", "function": call}],
                },
                {"role": "tool", "tool_call_id": "call-1", "content": reply},
                {"role": "assistant", "content": "Done."},
            ],
        }
    )


def test_files_are_read_once_and_failures_are_named(project: Path) -> None:
    first = tracemill("ingest", "--file", "desk", cwd=project)
    again = tracemill("ingest", "--file", "desk", cwd=project)
    shown = tracemill("failures", cwd=project)

    assert (first.returncode, again.returncode, shown.returncode) == (0, 0, 0), first.stderr
    with Store(project / ".tracemill" / "tracemill.duckdb") as store:
        assert len(list(store.traces())) == 3
    assert "2 of 3 traces failed (67%)" in shown.stdout
    assert "refund_order: order 17 is not delivered yet" in shown.stdout


def test_a_forgotten_user_is_refused_until_the_forgetting_is_undone(project: Path) -> None:
    with (project / "tracemill.toml").open("a") as settings:
        settings.write('user = "user"\n')
    line = json.dumps({**json.loads(_episode("z", "ok", 1.0)), "user": "zoe"})
    (project / "desk" / "zoe.jsonl").write_text(line)
    tracemill("ingest", "--file", "desk", cwd=project)

    gone = tracemill("forget", "zoe", "--yes", cwd=project)
    (project / "desk" / "again.jsonl").write_text(line)
    refused = tracemill("ingest", "--file", "desk", cwd=project)

    assert "traces removed: 1" in gone.stdout
    assert re.search(r"forgotten +1 ", refused.stdout), refused.stdout
    assert tracemill("forget", "zoe", "--undo", cwd=project).returncode == 0


def test_an_error_is_one_sentence_and_exit_code_1(tmp_path: Path) -> None:
    (tmp_path / "tracemill.toml").write_text("[kafka]\nbootstrap_serverz = 'x'\n")

    result = tracemill("ingest", cwd=tmp_path)

    assert result.returncode == 1
    assert "did you mean 'bootstrap_servers'?" in result.stderr
    assert "Traceback" not in result.stderr


def test_verbose_shows_the_traceback(tmp_path: Path) -> None:
    (tmp_path / "tracemill.toml").write_text("nonsense")

    result = tracemill("--verbose", "ingest", cwd=tmp_path)

    assert result.returncode == 1
    assert "Traceback" in result.stderr


def test_wrong_usage_is_exit_code_2(tmp_path: Path) -> None:
    assert tracemill("ingest", "--no-such-option", cwd=tmp_path).returncode == 2


def test_an_unreachable_broker_is_named(tmp_path: Path) -> None:
    (tmp_path / "tracemill.toml").write_text('[kafka]\nbootstrap_servers = "127.0.0.1:1"\n')

    result = tracemill("ingest", cwd=tmp_path)

    assert result.returncode == 1
    assert "127.0.0.1:1" in result.stderr


def test_what_cannot_be_decoded_is_listed_shown_and_tried_again(project: Path) -> None:
    (project / "desk" / "more.jsonl").write_text(_episode("d", "ok", 1.0) + "\nnot json at all\n")

    tracemill("ingest", "--file", "desk", cwd=project)
    listed = tracemill("dead-letters", "list", cwd=project)
    replayed = tracemill("dead-letters", "replay", cwd=project)

    assert "undecodable" in listed.stdout
    assert "0 became usable, 1 failed again" in replayed.stdout
    (letter,) = re.findall(r"letter-[0-9a-f]+", listed.stdout)
    assert "not json at all" in tracemill("dead-letters", "show", letter, cwd=project).stdout


def test_an_export_without_a_dataset_says_what_to_do(project: Path) -> None:
    result = tracemill("export", "trl", "out", cwd=project)

    assert result.returncode == 1
    assert "tracemill round plan" in result.stderr


def test_a_locked_store_is_named_with_what_to_do(project: Path) -> None:
    with (project / "tracemill.toml").open("a") as settings:
        settings.write("\n[project]\nwait_seconds = 0.2\n")
    with Store(project / ".tracemill" / "tracemill.duckdb"):
        result = tracemill("failures", cwd=project)

    assert result.returncode == 1
    assert "tracemill.duckdb" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_store_that_is_free_again_in_time_is_waited_for(project: Path) -> None:
    tracemill("ingest", "--file", "desk", cwd=project)
    store = Store(project / ".tracemill" / "tracemill.duckdb")
    release = threading.Timer(4.0, store.close)
    release.start()

    result = tracemill("failures", cwd=project)

    release.join()
    assert result.returncode == 0, result.stderr
    assert "2 of 3 traces failed" in result.stdout


def test_a_round_on_nothing_fails_and_says_so(tmp_path: Path) -> None:
    result = tracemill("round", "run", cwd=tmp_path)

    assert result.returncode == 1
    assert "the store holds no trace" in result.stderr


def test_init_writes_a_file_and_never_over_one(tmp_path: Path) -> None:
    assert tracemill("init", cwd=tmp_path).returncode == 0
    second = tracemill("init", cwd=tmp_path)

    assert second.returncode == 1
    assert "--force" in second.stderr


def test_help_tells_every_command(tmp_path: Path) -> None:
    shown = tracemill("--help", cwd=tmp_path).stdout

    for command in (
        *("init", "ingest", "failures", "round", "gate", "promote", "rollback"),
        *("dead-letters", "report", "export", "explain", "forget", "doctor"),
    ):
        assert command in shown
