"""Sandbox: a command of the team's own judges a rollout, in a folder of its own, with no network.

The folder holds the check's files and `rollout.json`:

    {"answer": "the last answer", "calls": [{"name": …, "arguments": {…} or the text as it was}]}

The command cannot reach the network, nor a process outside (namespaces(7), with setrlimit(2) for
what it uses). It may read what this user may read: it is shut off, not locked into its folder.
Where the system permits no such namespace, nothing is run and CheckNotRunError is raised.
"""

import os
import resource
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import orjson

from tracemill.curation import sandbox_child
from tracemill.curation.check_result import CheckResult
from tracemill.curation.form_checks import last_answer
from tracemill.curation.task import CommandCheck, CommandLimits
from tracemill.errors import CheckNotRunError
from tracemill.ingest.trace import Message

_PATH = "/usr/local/bin:/usr/bin:/bin"
_MEGABYTE = 1024 * 1024


class _Ended(NamedTuple):
    code: int | None
    """None: it ran out of time."""
    output: str
    not_started: str


def run_command(check: CommandCheck, messages: Sequence[Message]) -> CheckResult:
    """Return whether the command exits with 0 on what the rollout added to the prompt.

    Raises CheckNotRunError where it cannot be shut off from the network or cannot be started.
    """
    name = f"command {check.name}"
    with tempfile.TemporaryDirectory(
        prefix="tracemill-check-", ignore_cleanup_errors=True
    ) as folder:
        _fill(Path(folder), check, messages)
        ended = _run(check, folder)
    if ended.not_started:
        raise CheckNotRunError(
            f"check {check.name!r} was not run: {ended.not_started}; permit it or drop the check"
        )
    if ended.code == 0:
        return CheckResult(check=name, passed=True, detail=ended.output)
    how = f"over {check.limits.seconds:g} s" if ended.code is None else f"exit code {ended.code}"
    return CheckResult(check=name, passed=False, detail=f"{how}: {ended.output}")


def _fill(folder: Path, check: CommandCheck, messages: Sequence[Message]) -> None:
    for file in check.files:
        (folder / file.name).write_text(file.content, encoding="utf-8")
    calls = [
        {"name": call.name, "arguments": call.arguments if parsed is None else parsed}
        for message in messages
        for call in message.tool_calls
        for parsed in [call.parsed()]
    ]
    told = {"answer": last_answer(messages), "calls": calls}
    (folder / "rollout.json").write_bytes(orjson.dumps(told))


def _run(check: CommandCheck, folder: str) -> _Ended:
    told, telling = os.pipe()
    with os.fdopen(told, "rb") as status:
        try:
            process = _start(check, folder, telling)
        finally:
            os.close(telling)
        with process:
            try:
                code, output = _watch(process, check.limits)
            finally:
                _kill(process)
        return _Ended(code, output, status.read(1000).decode(errors="replace"))


def _start(check: CommandCheck, folder: str, telling: int) -> subprocess.Popen[bytes]:
    limits = orjson.dumps(_limits(check.limits)).decode()
    child = str(Path(sandbox_child.__file__).resolve())
    return subprocess.Popen(
        [sys.executable, "-I", "-S", child, str(telling), limits, *check.command],
        cwd=folder,
        env={"PATH": _PATH, "HOME": folder, "TMPDIR": folder, "LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=(telling,),
        start_new_session=True,
    )


def _limits(limits: CommandLimits) -> dict[str, int]:
    """Values of setrlimit by the name of the limit, none above what this process itself may use."""
    wanted = {
        "RLIMIT_CPU": limits.cpu_seconds,
        "RLIMIT_AS": limits.memory_mb * _MEGABYTE,
        "RLIMIT_FSIZE": limits.file_mb * _MEGABYTE,
        "RLIMIT_NPROC": limits.processes,
        "RLIMIT_NOFILE": 256,
        "RLIMIT_CORE": 0,
    }
    return {name: _within_own(name, value) for name, value in wanted.items()}


def _within_own(name: str, value: int) -> int:
    hard = resource.getrlimit(getattr(resource, name))[1]
    return value if hard == resource.RLIM_INFINITY else min(value, hard)


def _watch(process: subprocess.Popen[bytes], limits: CommandLimits) -> tuple[int | None, str]:
    """The exit code, None where time ran out, and the first of the output; the rest is let go."""
    ends_at = time.monotonic() + limits.seconds
    kept = bytearray()
    while (left := ends_at - time.monotonic()) > 0:
        chunk = _read(process, left)
        if chunk is None:
            break
        if not chunk:
            return _wait(process, left), _text(kept, limits)
        kept += chunk[: max(0, 4 * limits.output_chars - len(kept))]
    return None, _text(kept, limits)


def _read(process: subprocess.Popen[bytes], seconds: float) -> bytes | None:
    """What it wrote; nothing at its end, None where it wrote nothing in time."""
    assert process.stdout is not None  # noqa: S101 - it was started with a pipe
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        return os.read(process.stdout.fileno(), 65_536) if selector.select(seconds) else None


def _wait(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def _text(output: bytearray, limits: CommandLimits) -> str:
    return output.decode(errors="replace")[: limits.output_chars]


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the whole group; what left the group ends with its namespace."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
