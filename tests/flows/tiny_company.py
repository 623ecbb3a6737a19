"""A company whose tiny agent serves its customers: real traffic on a real broker.

The agent's traces go to the broker as JSON of its own (a field mapping reads them), and the desk
that takes over after a failure says what should have been called.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.fixtures.tiny_world import FACTORY, TINY_AGENT, TOOLS, Request, TinyWorld, make_requests
from tracemill.curation.episode import EpisodeResult, EpisodeStart, Sampling, run_episodes
from tracemill.ingest.topic import publish
from tracemill.ingest.trace import ModelRef
from tracemill.settings import Settings, load_settings
from tracemill.training.local_model import LocalModel

RECIPES = Path(__file__).parent.parent / "fixtures" / "recipes"
MAPPING = """
id = "id"
messages = "messages"
tools = "tools"
model = "model"
model_version = "model_version"
user = "user"
reward = "fulfilled"
environment_state = "state"
started_at = "at"
"""
MORNING = datetime(2026, 3, 2, 9, tzinfo=UTC)


def write_settings(folder: Path, broker: str, *, name: str = "tiny-desk") -> Settings:
    """Return the settings of a project in `folder`; several names share its registry."""
    # With a key and times of their own, each run splits and trains alike.
    (folder / name).mkdir(exist_ok=True)
    (folder / name / "redaction.key").write_text("7e" * 32)
    path = folder / f"{name}.toml"
    path.write_text(
        f"""
[project]
name = "{name}"
folder = "{name}"

[kafka]
bootstrap_servers = "{broker}"
topics = ["agent-traces", "agent-feedback"]

[ingest.topics.agent-traces.mapping]
{MAPPING}
[curation]
environment = "{FACTORY}"
tries = 2

[training]
base_model = "{TINY_AGENT}"
recipe = "{RECIPES / "tiny.toml"}"
threads = 1

[evaluation]
max_tokens = 48

[gate]
slice_margin = 0.35
min_scored_share = 0.9

[registry]
tracking_uri = "sqlite:///{folder / "mlflow.db"}"
"""
    )
    return load_settings(path)


def serve(broker: str, model: LocalModel, *, seed: int, count: int) -> int:
    """Serve so many requests, publish their traces and feedback; return how many failed."""
    requests = make_requests(seed, count)
    worlds = [_world(request) for request in requests]
    episodes = run_episodes(
        model,
        [
            EpisodeStart(request.prompt, TOOLS, world, max_steps=1)
            for request, world in zip(requests, worlds, strict=True)
        ],
        sampling=Sampling(max_tokens=48),
    )
    verdicts = [world.verdict() for world in worlds]
    served = list(zip(requests, episodes, verdicts, strict=True))
    traces = [_trace(seed, i, model.ref, *each) for i, each in enumerate(served)]
    publish(broker, "agent-traces", traces)
    failed = [(i, request) for i, (request, _, verdict) in enumerate(served) if verdict < 1]
    publish(broker, "agent-feedback", [_handover(seed, *each) for each in failed])
    return len(failed)


def load_agent(path: Path, ref: ModelRef) -> LocalModel:
    """Return the agent in this folder, on one thread."""
    return LocalModel(path, ref, threads=1)


def _world(request: Request) -> TinyWorld:
    world = TinyWorld()
    world.reset(request.state)
    return world


def _trace(
    seed: int, number: int, ref: ModelRef, request: Request, episode: EpisodeResult, verdict: float
) -> bytes:
    messages = [message.to_chat() for message in (*request.prompt, *episode.messages)]
    return json.dumps(
        {
            "id": f"{seed}-{number}",
            "user": f"customer-{seed}-{number}",
            "at": (MORNING + timedelta(days=seed, minutes=number)).isoformat(),
            "model": ref.name,
            "model_version": ref.version,
            "messages": messages,
            "tools": [tool.to_chat() for tool in TOOLS],
            "state": request.state,
            "fulfilled": verdict,
        }
    ).encode()


def _handover(seed: int, number: int, request: Request) -> bytes:
    return json.dumps(
        {
            "id": f"handover-{seed}-{number}",
            "trace_id": f"{seed}-{number}",
            "name": "handover",
            "score": 0,
            "correction": {"name": request.tool, "arguments": request.arguments},
            "source": "expert",
            "created_at": datetime.now(UTC).isoformat(),
        }
    ).encode()
