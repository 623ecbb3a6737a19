"""The recorded traces, and what is known of each: counts, shapes, and a hash of the whole Trace.

`python -m tests.ingest.real FOLDER` writes the golden file anew; read the difference before you
commit it. The recordings themselves are not ours to copy.
"""

import hashlib
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from tests.ingest.reading import KEY, MOMENT_MS, traces_of
from tracemill.ingest.decoded import Context
from tracemill.ingest.files import FileSource
from tracemill.ingest.ladder import decode
from tracemill.ingest.mapping import FieldMapping, TurnMapping
from tracemill.ingest.options import TopicOptions
from tracemill.ingest.redact import Redactor
from tracemill.ingest.trace import Trace

GOLDEN = Path(__file__).with_name("golden_real_traces.json")

TAU = FieldMapping(
    messages="traj",
    reward="reward",
    task="task_id",
    id=("task_id", "trial"),
    user="info.task.user_id",
    expected_calls="info.task.actions",
)
TAU_RESILIENCE = TAU.model_copy(update={"reward": "info.reward_info.components.base_success"})
TAU2 = FieldMapping(
    records="simulations",
    messages="messages",
    id="id",
    reward="reward_info.reward",
    task="task_id",
    label="termination_reason",
    started_at="start_time",
    ended_at="end_time",
    model="^.info.agent_info.llm",
)
INTERCODE = FieldMapping(
    records="*",
    turns=TurnMapping(
        request="query",
        actions="turn_history.actions",
        observations="turn_history.observations",
        tool="python",
        argument="code",
    ),
    reward="summary.max_reward",
    task="task_id",
)
AGENTDOJO = FieldMapping(
    messages="messages",
    reward="utility",
    error="error",
    id=("suite_name", "pipeline_name", "user_task_id", "injection_task_id"),
    model="pipeline_name",
    task="user_task_id",
)

SETS: dict[str, tuple[str, TopicOptions]] = {
    "langfuse": ("langfuse-framework-traces/**/*.json", TopicOptions()),
    "openinference": ("openinference-fixtures/**/v6-spans/a*.json", TopicOptions()),
    "langsmith": ("langsmith-fixtures/**/langsmith_*.json", TopicOptions()),
    "openhands": ("openhands-sdk-llm-logs/**/llm_data/**/*.json", TopicOptions()),
    "nemo-gym": ("nemo-gym-rollouts/**/*.jsonl", TopicOptions()),
    "agentdojo": ("agentdojo/runs/**/*.json", TopicOptions(mapping=AGENTDOJO)),
    "intercode": ("intercode-python/**/*.json", TopicOptions(mapping=INTERCODE)),
    "tau-bench": ("tau-bench/**/*.json", TopicOptions(mapping=TAU)),
    "tau-bench-resilience": (
        "tau-bench-pr68-resilience/**/*.json",
        TopicOptions(mapping=TAU_RESILIENCE),
    ),
    "tau2-bench": ("tau2-bench/**/*trials.json", TopicOptions(mapping=TAU2)),
}
"""Name → files under the folder of recordings, and how they are read."""


def values_of(folder: Path, name: str) -> Iterator[bytes]:
    source = FileSource([folder / SETS[name][0]])
    for batch in source.read(lambda topic, partition: None, 500):
        yield from (record.value or b"" for record in batch.records)


def read(folder: Path, name: str) -> list[Trace]:
    return traces_of(values_of(folder, name), SETS[name][1])


def summary(traces: list[Trace]) -> dict[str, Any]:
    """What a reader can check by hand, and hashes that hold the rest."""
    messages = [message for trace in traces for message in trace.messages]
    return {
        "traces": len(traces),
        "roles": dict(sorted(Counter(message.role for message in messages).items())),
        "tool_calls": sum(len(message.tool_calls) for message in messages),
        "tool_errors": sum(message.is_error is True for message in messages),
        "unlinked_results": sum(m.role == "tool" and m.tool_call_id is None for m in messages),
        "prompt_tokens": sum(step.prompt_tokens or 0 for trace in traces for step in trace.steps),
        "completion_tokens": sum(s.completion_tokens or 0 for trace in traces for s in trace.steps),
        "reward": round(sum(trace.outcome.reward or 0 for trace in traces), 6),
        "infrastructure": sum(trace.outcome.error is not None for trace in traces),
        "dialects": dict(sorted(Counter(trace.dialect for trace in traces).items())),
        "models": dict(sorted(Counter(trace.model.label for trace in traces).items())),
        "without_content": sum(not trace.has_content for trace in traces),
        "incomplete": sum(not trace.is_complete for trace in traces),
        "tools": sorted({tool.name for trace in traces for tool in trace.tools}),
        "hash": _hash(traces),
    }


def _hash(traces: list[Trace]) -> str:
    whole = sorted(trace.model_dump_json(exclude={"sources"}) for trace in traces)
    return hashlib.sha256("\n".join(whole).encode()).hexdigest()[:16]


def rejects_of(folder: Path, name: str) -> list[str]:
    redactor, topic = Redactor(KEY), SETS[name][1]
    return [
        reject.reason
        for batch in FileSource([folder / SETS[name][0]]).read(lambda t, p: None, 500)
        for record in batch.records
        for reject in decode(
            Context(record._replace(timestamp_ms=MOMENT_MS), redactor, topic)
        ).rejects
    ]


if __name__ == "__main__":
    golden = {name: summary(read(Path(sys.argv[1]), name)) for name in SETS}
    GOLDEN.write_bytes(orjson.dumps(golden, option=orjson.OPT_INDENT_2))
