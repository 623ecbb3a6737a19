"""Short ways to write model folders, datasets, rounds and registrations in the tests of deploy."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from tests.evaluation.cards import card, suite_of, task
from tracemill.curation.dataset import Dataset, Manifest
from tracemill.curation.finding import FailureMode
from tracemill.curation.options import CurationOptions
from tracemill.curation.rows import Example, Pair, PairProof
from tracemill.curation.task import Task, TraceRef
from tracemill.deploy.registration import Registration
from tracemill.deploy.registry import Registry
from tracemill.deploy.version import ModelVersion
from tracemill.evaluation.gate import judge
from tracemill.evaluation.gate_rules import GateRules
from tracemill.evaluation.suite import Suite
from tracemill.ingest.trace import Message, ModelRef, SourceRange
from tracemill.training.recipe import Recipe, SftRecipe
from tracemill.training.round import Candidate, IntegrityReport, Round, RoundPlan, StageUse
from tracemill.training.weights import weights_sha256

NOW = datetime(2026, 3, 2, 4, tzinfo=UTC)
SUITE = suite_of({"refund_order": 60, "convert": 60})
BETTER = {"refund_order": 55, "convert": 60}
WORSE = {"refund_order": 55, "convert": 20}
BEFORE = {"convert": 60}


def model_folder(path: Path, *, seed: int = 0) -> Path:
    """A model of two small tensors, as a plain Hugging Face folder."""
    path.mkdir(parents=True)
    weights = np.random.default_rng(seed).random((8, 4), dtype=np.float32)
    save_file({"embed": weights, "head": weights.T.copy()}, path / "model.safetensors")
    (path / "config.json").write_text('{"model_type": "tiny"}')
    (path / "chat_template.jinja").write_text("{{ messages }}")
    return path


def training_task(number: int, mode: str | None) -> Task:
    return task(f"train-{number}").model_copy(update={"split": "train", "failure_mode": mode})


def dataset_of(folder: Path) -> Dataset:
    """A dataset of three examples, one of them replay, and a pair, from two partitions."""
    tasks = (training_task(1, "mode-1"), training_task(2, "mode-1"), training_task(3, None))
    ask, good, bad = (
        Message(role=role, content=text)
        for role, text in (("user", "please"), ("assistant", "done"), ("assistant", "no idea"))
    )
    examples = tuple(
        Example(
            id=f"example-{each.id}",
            prompt=(ask,),
            tools=(),
            completion=good,
            is_replay=each.failure_mode is None,
            origin="correction" if each.failure_mode else "production",
            slice=each.slice,
            group=each.group,
            task_id=each.id,
            sources=each.sources,
        )
        for each in tasks
    )
    pair = Pair(
        id="pair-1",
        prompt=(ask,),
        tools=(),
        chosen=good,
        rejected=bad,
        origin="correction",
        proof=PairProof(chosen_reward=1.0, rejected_reward=0.0, checks=("answer",)),
        slice="refund_order",
        group="u1",
        task_id="train-1",
        sources=(TraceRef(trace_id="trace-1", revision=1),),
    )
    folder.mkdir(parents=True)
    manifest = Manifest(
        id="dataset-0123456789abcdef",
        traces=7,
        sources=(
            SourceRange(topic="agent-traces", partition=0, first_offset=5, last_offset=90),
            SourceRange(topic="agent-traces", partition=0, first_offset=91, last_offset=120),
            SourceRange(topic="agent-traces", partition=1, first_offset=0, last_offset=88),
        ),
        detectors={"low reward": 1},
        options=CurationOptions(),
        counts={"tasks": 3, "examples": 3, "pairs": 1, "suite": 120},
        refused={"no verified reference": 4},
    )
    (folder / "manifest.json").write_text(manifest.to_json())
    return Dataset(
        id=manifest.id,
        path=folder,
        manifest=manifest,
        tasks=tasks,
        examples=examples,
        pairs=(pair,),
        unpaired=(),
        suite_tasks=SUITE.tasks,
        frozen_at=NOW,
    )


def candidate_of(folder: Path, dataset: Dataset, champion: ModelRef, *, seed: int = 1) -> Candidate:
    path = model_folder(folder / f"candidate-{seed}", seed=seed)
    plan = RoundPlan(stages=(), seconds=30.0, cost_usd=0.001, reasons=("verified answers",))
    round_ = Round(
        id=f"round-{seed}",
        champion=champion,
        champion_path=folder,
        dataset_id=dataset.id,
        dataset_path=dataset.path,
        recipe=Recipe(name="sft", sft=SftRecipe()),
        seed=seed,
        plan=plan,
        created_at=NOW,
    )
    losses = ((1, 2.5), (2, 1.25), (3, 0.5))
    use = StageUse(
        method="sft",
        rows_given=4,
        rows_trained=4,
        steps=3,
        tokens=1200,
        seconds=30.0,
        first_loss=2.5,
        last_loss=0.5,
        losses=losses,
    )
    return Candidate(
        id=f"candidate-{seed}",
        round=round_,
        ref=ModelRef(name="desk", version=f"round-{seed}"),
        path=path,
        render_fingerprint="render-1",
        weights_sha256=weights_sha256(path),
        used=(use,),
        seconds=32.0,
        cost_usd=0.002,
        integrity=IntegrityReport(
            weights_changed_share=1.0,
            max_logit_difference=1e-6,
            has_same_tokenizer=True,
            has_same_chat_template=True,
        ),
    )


def registration_of(
    folder: Path,
    champion: ModelRef,
    passes: Mapping[str, int] = BETTER,
    *,
    suite: Suite = SUITE,
    seed: int = 1,
) -> Registration:
    """A candidate that passes so many tasks of each slice, with its verdict."""
    dataset = dataset_of(folder / f"dataset-{seed}")
    candidate = candidate_of(folder, dataset, champion, seed=seed)
    cards = card(suite, candidate.ref, passes), card(suite, champion, BEFORE)
    return Registration(
        candidate=candidate,
        verdict=judge(*cards, suite, GateRules()),
        champion_card=cards[1],
        candidate_card=cards[0],
        suite=suite,
        dataset=dataset,
        modes=(
            FailureMode(
                id="mode-1",
                name="refund_order called with the user's id",
                detector="low reward",
                kind="agent",
                signature="s",
                exemplars=("trace-1",),
                counts=(),
                standing="new",
            ),
        ),
    )


def enter(
    registry: Registry, folder: Path, champion: ModelVersion, *, seed: int = 1, **passes: int
) -> ModelVersion:
    """Register a candidate that is better, or passes so many tasks of each slice."""
    registration = registration_of(folder, champion.ref, passes or BETTER, seed=seed)
    return registry.register(registration, now=NOW + timedelta(hours=seed))
