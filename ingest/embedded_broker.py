"""EmbeddedBroker: a Kafka-protocol broker in one process, for the demo and the tests.

It is noida-db from PyPI (extra `tracemill[demo]`). Its snapshot is written every few seconds and
when it is stopped, so what was published last can be lost if it is killed: production wants Kafka.
"""

import importlib.util
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from tracemill.errors import SourceUnavailableError

START_SECONDS = 20.0
STOP_SECONDS = 20.0


class EmbeddedBroker:
    """A broker process of ours; it ends with `close`, or at the end of a `with`."""

    def __init__(self, process: "subprocess.Popen[bytes]", port: int) -> None:
        self._process = process
        self.port = port

    @property
    def address(self) -> str:
        """Bootstrap address for Kafka clients."""
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """Process id of the broker."""
        return self._process.pid

    def close(self) -> None:
        """Stop the broker so that it saves what it holds; harmless when it has ended."""
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def start_broker(data_dir: Path, *, port: int | None = None) -> EmbeddedBroker:
    """Return a running broker that keeps its data in `data_dir`, on a free port if none is given.

    Raises SourceUnavailableError if noida-db is not installed, or does not start.
    """
    port = free_port() if port is None else port
    data_dir.mkdir(parents=True, exist_ok=True)
    log = data_dir / "broker.log"
    command = [_executable(), "start", "--data-dir", str(data_dir), "--host", "127.0.0.1"]
    command += ["--only", "kafka", "--kafka-port", str(port)]
    with log.open("ab") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    broker = EmbeddedBroker(process, port)
    try:
        _wait_until_it_answers(process, port, log)
    except BaseException:
        broker.close()
        raise
    return broker


def _executable() -> str:
    """Return the broker's own program: ending the package's script would leave it running."""
    package = importlib.util.find_spec("noida_db")
    folders = [] if package is None else list(package.submodule_search_locations or ())
    for folder in folders:
        for name in ("noida-db", "noida-db.exe"):
            if (program := Path(folder) / name).exists():
                return str(program)
    raise SourceUnavailableError(
        "The embedded broker needs the package noida-db: pip install 'tracemill[demo]', "
        "or name the address of a Kafka of yours."
    )


def free_port() -> int:
    """Return a loopback port that nobody uses at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_it_answers(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    tail = log.read_text(errors="replace")[-500:].strip()
    raise SourceUnavailableError(f"The embedded broker did not start on port {port}: {tail}")
