from pathlib import Path

from tests.curation.conversations import DESK, ScriptedModel, calls, reply, says, trace, user
from tests.curation.test_draft import DONE, drafted
from tracemill.curation.options import CurationOptions
from tracemill.curation.proof import reward_of_reference
from tracemill.curation.rollout import roll_out
from tracemill.curation.row_building import make_rows
from tracemill.curation.task import EnvironmentCheck, Task
from tracemill.ingest.trace import Message, Trace

OPTIONS = CurationOptions(environment=DESK, whole_episodes=True, episode_steps=4)
REFUND, CANCEL = calls("refund_order", order_id=332), calls("cancel_order", order_id=333)


def passed(*messages: Message) -> Trace:
    return trace(
        *messages, outcome={"reward": 1.0}, environment_state={"refund": 332, "cancel": 333}
    )


def episodes(tmp_path: Path, one: Trace, options: CurationOptions = OPTIONS) -> list[Task]:
    return [t for t in drafted(tmp_path, one, options=options).tasks if t.is_whole_episode]


def test_a_request_that_was_fulfilled_at_once_is_a_task_from_its_beginning(tmp_path: Path) -> None:
    one = passed(user("refund 332, cancel 333"), REFUND, DONE, CANCEL, DONE, says("Both done."))

    task = episodes(tmp_path, one)[0]

    assert (len(task.prompt), task.max_steps, task.checks) == (1, 4, (EnvironmentCheck(),))
    assert task.reference_rest == (CANCEL, says("Both done."))
    assert reward_of_reference(task) == 1.0


def test_any_way_to_fulfil_the_request_will_do_and_no_other(tmp_path: Path) -> None:
    one = passed(user("refund 332, cancel 333"), REFUND, DONE, CANCEL, DONE)
    task = episodes(tmp_path, one)[0]

    def roll(*messages: Message) -> float | None:
        left = list(messages)
        return roll_out(ScriptedModel(lambda _: left.pop(0)), [task])[0].reward

    wrong = calls("refund_order", order_id=1)
    assert roll(wrong, REFUND, CANCEL) == 1.0
    assert roll(REFUND, says("done")) == 0.0
    assert roll(wrong, wrong, wrong, wrong) == 0.0


def test_a_whole_episode_stands_beside_its_decisions_and_gives_no_row(tmp_path: Path) -> None:
    one = passed(user("refund 332, cancel 333"), REFUND, DONE, CANCEL, DONE)

    found = drafted(tmp_path, one, options=OPTIONS)

    decisions = [task for task in found.tasks if not task.is_whole_episode]
    train = [task.model_copy(update={"split": "train"}) for task in found.tasks]
    assert len(found.tasks) == len(decisions) + 1 == 3
    assert len(make_rows(train, OPTIONS).examples) == len(decisions)


def test_episodes_in_which_the_user_spoke_again_and_teams_that_did_not_ask_have_none(
    tmp_path: Path,
) -> None:
    spoken = passed(user("refund 332"), REFUND, DONE, user("cancel 333"), CANCEL, DONE)
    at_once = passed(user("refund 332, cancel 333"), REFUND, DONE, CANCEL, DONE)
    refused = passed(user("x"), REFUND, reply("Error: no"))

    assert episodes(tmp_path / "a", spoken) == []
    assert episodes(tmp_path / "b", at_once, CurationOptions(environment=DESK)) == []
    assert episodes(tmp_path / "c", at_once, CurationOptions(whole_episodes=True)) == []
    assert episodes(tmp_path / "d", refused) == []
