import ast
import asyncio
import runpy
import tomllib
from pathlib import Path
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator

from tests.curation.conversations import calls, reply, says, task, user
from tests.curation.test_dataset import frozen
from tracemill.curation.dataset import Dataset
from tracemill.curation.exports.write import FORMS, Form, export
from tracemill.curation.row_building import make_rows
from tracemill.curation.rows import Unpaired
from tracemill.curation.task import (
    AnswerCheck,
    CommandCheck,
    FinalAnswerCheck,
    JudgeCheck,
    LimitCheck,
    NoErrorCheck,
    Task,
    ToolCallCheck,
    TraceRef,
)

SCHEMA = Path(__file__).with_name("nemo_gym_row.schema.json")
LONG = (
    user("two things"), calls("cancel_order", order_id=1), reply("done"), says("And?"), user("refund 332"),
)  # fmt: skip


def placed(one: Task, name: str, **more: object) -> Task:
    sources = (TraceRef(trace_id=name, revision=1),)
    return one.model_copy(update={"id": name, "group": name, "sources": sources, **more})


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    right, wrong = calls("refund_order", order_id=332), calls("cancel_order", order_id=332)
    mended = placed(task(*LONG, reference=right, reference_origin="correction"), "a", failing=wrong)
    other_keys = placed(task(user("book"), reference=calls("book", {"seat": "A"}), tools=()), "b")
    words = placed(
        task(user("hi"), reference=says("hello"), checks=(AnswerCheck(contains=""),)), "c"
    )
    held = placed(
        task(user("refund 9"), reference=calls("refund_order", order_id=9)),
        "secret",
        split="heldout",
    )
    made = frozen(tmp_path, mended, other_keys, words, held)
    thumb = Unpaired(
        id="unpaired-1", prompt=LONG, tools=mended.tools, completion=wrong, is_good=False,
        slice="cancel_order", group="a", feedback_id="f", sources=mended.sources,
    )  # fmt: skip
    return Dataset(**{**made.__dict__, "unpaired": (thumb,)})


def lines(path: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_writes_what_it_says_and_nothing_of_the_suite(
    dataset: Dataset, tmp_path: Path, form: Form
) -> None:
    written = export(dataset, form, tmp_path / form).files

    assert written
    for file in written:
        assert len(lines(file.path)) == file.rows > 0
    everything = b"".join(path.read_bytes() for path in (tmp_path / form).iterdir())
    assert b"secret" not in everything
    assert b"refund 9" not in everything


def test_a_supervised_row_learns_its_last_message_only(dataset: Dataset, tmp_path: Path) -> None:
    export(dataset, "openai", tmp_path / "out")

    row = next(r for r in lines(tmp_path / "out" / "supervised.jsonl") if len(r["messages"]) > 2)

    weights = [m.get("weight") for m in row["messages"] if m["role"] == "assistant"]
    assert weights == [0, 0, 1]
    call = row["messages"][-1]["tool_calls"][0]["function"]
    assert orjson.loads(call["arguments"]) == {"order_id": 332}


def test_a_preference_row_holds_one_prompt_and_two_outputs(
    dataset: Dataset, tmp_path: Path
) -> None:
    export(dataset, "together", tmp_path / "out")

    row = lines(tmp_path / "out" / "preference.jsonl")[0]

    names = [
        row[side][0]["tool_calls"][0]["function"]["name"]
        for side in ("preferred_output", "non_preferred_output")
    ]
    assert (names, len(row["input"]["messages"])) == (["refund_order", "cancel_order"], 5)


def test_rows_for_nemo_gym_satisfy_their_schema(dataset: Dataset, tmp_path: Path) -> None:
    export(dataset, "nemo-gym", tmp_path / "out")
    validator = Draft202012Validator(orjson.loads(SCHEMA.read_bytes()))

    rows = lines(tmp_path / "out" / "tasks.jsonl")

    assert [error.message for row in rows for error in validator.iter_errors(row)] == []
    assert {row["expected_action"]["type"] for row in rows} == {"function_call", "message"}


def test_the_taskset_for_verifiers_is_a_package_that_python_reads(
    dataset: Dataset, tmp_path: Path
) -> None:
    export(dataset, "verifiers", tmp_path / "out")

    module = ast.parse((tmp_path / "out" / "tracemill_tasks.py").read_text())
    project = tomllib.loads((tmp_path / "out" / "pyproject.toml").read_text())

    assert "Decisions" in {node.name for node in module.body if isinstance(node, ast.ClassDef)}
    assert project["project"]["dependencies"] == ["verifiers>=0.4,<0.5"]
    assert all(row["wanted"] or row["answers"] for row in lines(tmp_path / "out" / "tasks.jsonl"))


def test_verifiers_itself_loads_the_taskset_and_scores_a_rollout(
    dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vf = pytest.importorskip(
        "verifiers.v1", reason="verifiers is not installed: pip install verifiers"
    )
    export(dataset, "verifiers", tmp_path / "out")
    monkeypatch.syspath_prepend(tmp_path / "out")
    from tracemill_tasks import Decisions, DecisionsConfig  # type: ignore[import-not-found]

    tasks = {one.key: one for one in Decisions(DecisionsConfig())}

    def reward(arguments: str) -> float:
        call = vf.ToolCall(id="c1", name="refund_order", arguments=arguments)
        said = vf.AssistantMessage(content="", tool_calls=[call])
        node = vf.MessageNode(sampled=True, message=said)
        scored = asyncio.run(tasks["a"].right_decision(vf.Trace.model_construct(nodes=[node])))
        return float(scored)

    assert set(tasks) == {"a", "b", "c"}
    assert [reward('{"order_id": 332}'), reward('{"order_id": 1}'), reward("332?")] == [1, 0, 0]


@pytest.mark.parametrize("name", ["supervised.jsonl", "preference.jsonl"])
def test_togethers_own_client_accepts_the_files(
    dataset: Dataset, tmp_path: Path, name: str
) -> None:
    files = pytest.importorskip(
        "together.lib.utils.files", reason="together is not installed: pip install together"
    )
    export(dataset, "together", tmp_path / "out")

    report = files.check_file(tmp_path / "out" / name)

    assert report["is_check_passed"], report


def test_datasets_reads_the_rows_for_trl_without_the_keys_of_other_calls(
    dataset: Dataset, tmp_path: Path
) -> None:
    from datasets import Dataset as HfDataset

    export(dataset, "trl", tmp_path / "out")
    rows = lines(tmp_path / "out" / "sft.jsonl")

    read = HfDataset.from_list(rows, on_mixed_types="use_json")

    assert list(read["completion"]) == [row["completion"] for row in rows]
    assert {"prompt", "chosen", "rejected"} <= set(lines(tmp_path / "out" / "dpo.jsonl")[0])
    assert lines(tmp_path / "out" / "kto.jsonl")[0]["label"] is False
    assert len(make_rows(dataset.tasks, dataset.manifest.options).examples) == len(rows)


@pytest.fixture
def checked(tmp_path: Path) -> Dataset:
    """One task for each kind of check that the team may add."""
    judge = JudgeCheck(name="polite", rubric="R.", url="http://127.0.0.1:9/v1", model="m")
    command = CommandCheck(name="ledger", command=("true",))
    wanted = calls("refund_order", order_id=1)
    own = ToolCallCheck(tool="refund_order", arguments={"order_id": 1})
    made = [
        placed(task(user(f"a {name}"), reference=wanted, checks=(own, *checks)), name)
        for name, checks in {
            "plain": (LimitCheck(max_steps=1), NoErrorCheck()),
            "judged": (judge,),
            "run": (command,),
            "counted": (LimitCheck(max_tokens=9),),
        }.items()
    ]
    answer = FinalAnswerCheck(how="number", value="12")
    told = placed(task(user("sum"), reference=says("It is 12."), checks=(answer,)), "told")
    return frozen(tmp_path, *made, told)


@pytest.mark.parametrize(
    ("form", "kept", "unscored"),
    [
        ("nemo-gym", 1, ["command ledger", "final_answer", "judge polite", "limit"]),
        ("verifiers", 2, ["command ledger", "judge polite", "limit"]),
    ],
)
def test_a_check_that_the_trainer_cannot_score_keeps_its_task_out_and_is_named(
    checked: Dataset, tmp_path: Path, form: Form, kept: int, unscored: list[str]
) -> None:
    written = export(checked, form, tmp_path / "out")

    assert written.files[0].rows == kept
    assert written.refused == {
        f"the check {name!r} cannot be scored by this trainer": 1 for name in unscored
    }


def test_a_whole_episode_is_no_row_of_a_trainer_of_single_steps(
    checked: Dataset, tmp_path: Path
) -> None:
    whole = [one.model_copy(update={"is_whole_episode": True}) for one in checked.tasks]
    dataset = Dataset(**{**checked.__dict__, "tasks": tuple(whole)})

    written = export(dataset, "nemo-gym", tmp_path / "out")

    assert written.files == ()
    assert written.refused == {"a whole episode cannot be scored by its first step": len(whole)}


def test_plain_lines_hold_every_task_with_its_checks(checked: Dataset, tmp_path: Path) -> None:
    export(checked, "jsonl", tmp_path / "out")

    read = [Task.from_json(line) for line in (tmp_path / "out" / "tasks.jsonl").open()]

    assert {one.id: one.checks for one in read} == {one.id: one.checks for one in checked.tasks}


@pytest.mark.parametrize(
    ("answer", "reward"), [("It is 12.", 1), ("12.0, I say", 1), ("112", 0), ("", 0)]
)
def test_the_taskset_scores_what_an_answer_must_say(
    checked: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, reward: float
) -> None:
    vf = pytest.importorskip(
        "verifiers.v1", reason="verifiers is not installed: pip install verifiers"
    )
    export(checked, "verifiers", tmp_path / "out")
    module = runpy.run_path(str(tmp_path / "out" / "tracemill_tasks.py"))
    config = module["DecisionsConfig"](path=str(tmp_path / "out" / "tasks.jsonl"))
    told = next(one for one in module["Decisions"](config) if one.key == "told")

    node = vf.MessageNode(sampled=True, message=vf.AssistantMessage(content=answer))
    scored = asyncio.run(told.right_decision(vf.Trace.model_construct(nodes=[node])))

    assert scored == reward
