from dataclasses import replace
from pathlib import Path

from tests.curation.conversations import ScriptedModel, at_the_desk, calls, says, task, trace, user
from tests.curation.test_draft import DONE, drafted
from tracemill.curation.champion_tries import try_champion
from tracemill.curation.chat import ChatRequest
from tracemill.curation.draft import Draft
from tracemill.curation.options import CurationOptions
from tracemill.curation.row_building import make_rows
from tracemill.curation.task import EnvironmentCheck, Task
from tracemill.ingest.trace import Message

RIGHT = calls("refund_order", order_id=332)
WRONG = calls("cancel_order", order_id=332)
OPTIONS = CurationOptions(environment="tests.curation.refund_desk:RefundDesk")
MENDED = task(
    user("refund 332"), reference=RIGHT, checks=(EnvironmentCheck(),),
    environment=at_the_desk({"refund": 332}),
).model_copy(update={"failing": WRONG, "reference_origin": "correction"})  # fmt: skip


def holding(*tasks: Task, unreferenced: tuple[Task, ...] = ()) -> Draft:
    empty = Draft(tasks=tasks, refused={}, traces=0, sources=(), detectors={})
    return replace(empty, unreferenced=unreferenced)


def model_that_says(*messages: Message) -> ScriptedModel:
    """One message for each try, in turn."""
    left = list(messages)
    return ScriptedModel(lambda _: left.pop(0))


def test_the_pass_rate_is_the_share_of_tries_that_passed() -> None:
    champion = model_that_says(RIGHT, WRONG, WRONG, says("no"))

    tried = try_champion(holding(MENDED), champion, options=OPTIONS)

    assert tried.tasks[0].pass_rate == 0.25
    assert len(tried.rollouts) == 4


def test_what_the_champion_always_solves_failed_by_chance_and_is_set_aside() -> None:
    tried = try_champion(holding(MENDED), ScriptedModel(lambda _: RIGHT), options=OPTIONS)

    assert tried.tasks == ()
    assert tried.refused == {"the champion solves it in every try": 1}
    kept = OPTIONS.model_copy(update={"always_solved_share": 1.0})
    assert try_champion(holding(MENDED), ScriptedModel(lambda _: RIGHT), options=kept).tasks


def test_tries_that_an_outage_spoiled_are_no_evidence() -> None:
    tried = try_champion(holding(MENDED), ScriptedModel(lambda _: None), options=OPTIONS)

    assert [one.pass_rate for one in tried.tasks] == [None]


def test_the_suites_tasks_and_healthy_decisions_are_not_tried() -> None:
    held = MENDED.model_copy(update={"split": "heldout"})
    healthy = MENDED.model_copy(update={"failing": None, "id": "task-2"})

    tried = try_champion(holding(held, healthy), model_that_says(), options=OPTIONS)

    assert len(tried.tasks) == 2
    assert tried.rollouts == ()


def test_a_failing_step_without_reference_gets_it_from_a_try_that_passed(tmp_path: Path) -> None:
    one = trace(
        user("refund 332"), WRONG, DONE, outcome={"reward": 0.0}, environment_state={"refund": 332}
    )
    found = drafted(tmp_path, one, options=OPTIONS)
    assert (found.tasks, len(found.unreferenced)) == ((), 1)

    tried = try_champion(found, model_that_says(WRONG, says("no"), RIGHT, WRONG), options=OPTIONS)

    assert (tried.tasks[0].reference, tried.tasks[0].reference_origin) == (RIGHT, "resample")
    assert (tried.tasks[0].pass_rate, tried.unreferenced) == (0.25, ())


def test_without_a_passing_try_there_is_no_task_and_the_reason_is_counted() -> None:
    empty = MENDED.model_copy(update={"reference": Message(role="assistant")})

    tried = try_champion(
        holding(unreferenced=(empty,)), ScriptedModel(lambda _: WRONG), options=OPTIONS
    )

    assert tried.tasks == ()
    assert tried.refused == {"no try of the champion shows what would have been right": 1}


def test_tries_that_passed_and_failed_make_a_pair_over_the_failing_prefix() -> None:
    champion = model_that_says(RIGHT, says("no"), WRONG, WRONG)
    tried = try_champion(holding(MENDED), champion, options=OPTIONS)

    rows = make_rows(tried.tasks, OPTIONS, rollouts=tried.rollouts)

    pair = next(pair for pair in rows.pairs if pair.origin == "resample")
    assert (pair.prompt, pair.chosen, pair.rejected) == (MENDED.prompt, RIGHT, says("no"))
    assert (pair.proof.chosen_reward, pair.proof.rejected_reward) == (1.0, 0.0)


def test_truncated_tries_are_never_rejected_answers() -> None:
    cut = ScriptedModel(lambda _: says("I will"), finish_reason="length")
    tried = try_champion(holding(MENDED), cut, options=OPTIONS)

    rows = make_rows(tried.tasks, OPTIONS, rollouts=tried.rollouts)

    assert [pair.origin for pair in rows.pairs] == ["correction"]


def test_no_tries_leave_the_draft_as_it_was() -> None:
    drafted = holding(MENDED)
    untried = OPTIONS.model_copy(update={"tries": 0})

    assert try_champion(drafted, model_that_says(), options=untried) is drafted


def test_each_try_has_its_own_seed() -> None:
    seeds: list[int] = []

    class Noting(ScriptedModel):
        def complete(self, requests, *, seed, temperature, max_tokens):  # type: ignore[no-untyped-def]
            seeds.append(seed)
            assert temperature > 0
            return super().complete(
                requests, seed=seed, temperature=temperature, max_tokens=max_tokens
            )

    def answer(request: ChatRequest) -> Message:
        return WRONG

    try_champion(holding(MENDED), Noting(answer), options=OPTIONS)

    assert seeds == [0, 1, 2, 3]
