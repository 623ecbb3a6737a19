"""What people would use instead: MLflow and Arize Phoenix, given the same spans over OTLP.

A span counts once it can be queried, not when it was accepted: Phoenix answers 200 long before.
"""

import base64
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from bench.ingest_stream import MadeTrace
from bench.installed import python_with

START_SECONDS = 120
WAIT_SECONDS = 300
IDS = ("traceId", "spanId", "parentSpanId")


def spans_per_second(traces: Sequence[MadeTrace], rival: str) -> float:
    """Return how many spans a second the rival takes until all of them can be queried."""
    bodies = [_protobuf(made) for made in traces]
    spans = sum(made.spans for made in traces)
    with RIVALS[rival]() as (port, headers, count):
        before = count()
        _post(port, headers, bodies[:1])  # the first request of a fresh server is slow
        _wait(lambda: count() > before)
        before, began = count(), time.perf_counter()
        _post(port, headers, bodies[1:])
        wanted = (spans - traces[0].spans) if rival == "phoenix" else len(traces) - 1
        _wait(lambda: count() - before >= wanted)
        return (spans - traces[0].spans) / (time.perf_counter() - began)


def _protobuf(made: MadeTrace) -> bytes:
    value = json.loads(made.value)
    for span in value["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for name in IDS:
            raw = bytes.fromhex(span.pop(name, ""))
            if raw:
                span[name] = base64.b64encode(raw).decode()
    request = json_format.ParseDict(value, ExportTraceServiceRequest())
    encoded: bytes = request.SerializeToString()
    return encoded


def _post(port: int, headers: dict[str, str], bodies: Sequence[bytes]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    for body in bodies:
        named = {"Content-Type": "application/x-protobuf", **headers}
        connection.request("POST", "/v1/traces", body, named)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise SystemExit(f"refused with {answer.status}")
    connection.close()


def _wait(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_so():
        if time.monotonic() > deadline:
            raise SystemExit("it took too long until the spans could be queried")
        time.sleep(0.2)


Rival = tuple[int, dict[str, str], Callable[[], int]]
"""Its port, the headers it wants, and how many spans (or traces) can be queried."""


@contextmanager
def _mlflow() -> Iterator[Rival]:
    with tempfile.TemporaryDirectory() as folder:
        port = _free_port()
        command = [
            sys.executable,
            "-m",
            "mlflow",
            "server",
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
        ]
        command += ["--backend-store-uri", f"sqlite:///{folder}/mlflow.db", "--workers", "1"]
        with _server(command, port, {"MLFLOW_DISABLE_TELEMETRY": "true"}, folder):
            made = _ask(port, "/api/2.0/mlflow/experiments/create", {"name": "bench"})
            experiment = made["experiment_id"]

            def count() -> int:
                return _mlflow_traces(port, experiment)

            yield port, {"x-mlflow-experiment-id": experiment}, count


def _mlflow_traces(port: int, experiment: str) -> int:
    where = [{"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": experiment}}]
    found, token = 0, None
    while True:
        query = {"locations": where, "max_results": 500, **({"page_token": token} if token else {})}
        page = _ask(port, "/api/3.0/mlflow/traces/search", query)
        found += len(page.get("traces", ()))
        token = page.get("next_page_token")
        if not token:
            return found


@contextmanager
def _phoenix() -> Iterator[Rival]:
    with tempfile.TemporaryDirectory() as folder:
        port = _free_port()
        own = {
            "PHOENIX_PORT": str(port), "PHOENIX_GRPC_PORT": str(_free_port()),
            "PHOENIX_WORKING_DIR": folder, "PHOENIX_HOST": "127.0.0.1",
            "PHOENIX_TELEMETRY_ENABLED": "false",
        }  # fmt: skip
        command = [str(python_with("arize-phoenix")), "-m", "phoenix.server.main", "serve"]
        with _server(command, port, own, folder):
            yield port, {}, lambda: _phoenix_spans(port)


def _phoenix_spans(port: int) -> int:
    answer = _ask(port, "/graphql", {"query": "{projects{edges{node{recordCount}}}}"})
    return sum(edge["node"]["recordCount"] for edge in answer["data"]["projects"]["edges"])


def _ask(port: int, path: str, body: dict[str, Any]) -> dict[str, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return dict(answer)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _server(command: list[str], port: int, own: dict[str, str], folder: str) -> Iterator[None]:
    """Run a server until it answers on the port, and end it and its workers at the end."""
    log = Path(folder) / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=output, env={**os.environ, **own}, start_new_session=True
        )
    try:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit(log.read_text(errors="replace")[-2000:]) from None
                time.sleep(0.2)
        yield
    finally:
        os.killpg(process.pid, 15)
        process.wait(60)


RIVALS: dict[str, Callable[[], Any]] = {"mlflow": _mlflow, "phoenix": _phoenix}
