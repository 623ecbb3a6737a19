"""Admission: a task enters only if its checks accept the reference and reject what failed.

Where there is an environment and the reference fulfils the request in it, its verdict is the
check, and any way to fulfil the request will do; else the reference's own calls are.
"""

import re
from collections.abc import Sequence

from tracemill.curation.arguments import words_of
from tracemill.curation.check_rules import checks_of_rules
from tracemill.curation.detectors.reading import Reading
from tracemill.curation.environment import gives_verdict, needs_state
from tracemill.curation.options import CurationOptions
from tracemill.curation.proof import FULL, checks_failed_by_reference, reward_of
from tracemill.curation.recorded_replies import FACTORY, recorded_state
from tracemill.curation.references import (
    CHECK_NOT_RUN,
    ENVIRONMENT_FAILED,
    Proposal,
    Refusal,
)
from tracemill.curation.split import group_of, split_of
from tracemill.curation.task import (
    AnswerCheck,
    Check,
    EnvironmentCheck,
    EnvironmentRef,
    SchemaCheck,
    Task,
    ToolCallCheck,
    TraceRef,
)
from tracemill.errors import CheckNotRunError, EnvironmentFailedError
from tracemill.ingest.trace import Message, Trace
from tracemill.record import content_id

NO_REFERENCE = "nothing shows what would have been right"
_SCHEMA = SchemaCheck(weight=0.25)
"""A well-formed call to the wrong end is worth a little, not half."""
_FACT = re.compile(r"\S*\d\S*")


def admit(
    reading: Reading, proposal: Proposal, *, options: CurationOptions, failure_mode: str | None
) -> Task | Refusal:
    """Return the task of this step, or why it is not sound."""
    if proposal.step in reading.cut_steps:
        return Refusal("the step was cut at the token limit")
    task = _draft(reading.trace, proposal, options, failure_mode)
    try:
        return _prove(task, own=_checks(task), ruled=checks_of_rules(options.checks, task))
    except EnvironmentFailedError as error:
        return _not_run(error)


def whole_episode(reading: Reading, options: CurationOptions) -> Task | Refusal | None:
    """Return the task of the whole episode, if it passed in one go; None where it is not of that kind.

    Only the environment's verdict counts: any way to fulfil the request will do.
    """
    steps = reading.assistant_steps
    if not options.whole_episodes or not reading.has_passed or not steps or not reading.calls:
        return None
    if any(step > steps[0] for step in reading.user_steps):
        return None  # nobody would say the user's later lines
    first = Proposal(steps[0], reading.trace.messages[steps[0]], "production")
    task = _draft(reading.trace, first, options, None)
    if not _is_judged(task):
        return None
    task = task.model_copy(
        update={
            "max_steps": options.episode_steps,
            "reference_rest": tuple(reading.trace.messages[step] for step in steps[1:]),
            "is_whole_episode": True,
            "slice": f"episode: {reading.calls[-1].call.name}",
        }
    )
    ruled = checks_of_rules(options.checks, task)
    try:
        return _prove(task, own=(EnvironmentCheck(),), ruled=ruled)
    except EnvironmentFailedError as error:
        return _not_run(error)


def open_task(
    reading: Reading, step: int, *, options: CurationOptions, failure_mode: str | None
) -> Task | Refusal:
    """Return the task of a failing step that has no reference yet, for its environment to judge.

    Its reference is empty until a try of the champion gives one.
    """
    proposal = Proposal(step, Message(role="assistant"), "resample")
    task = _draft(reading.trace, proposal, options, failure_mode)
    failing = task.failing
    if failing is None or not _is_judged(task):
        return Refusal(NO_REFERENCE)
    if step in reading.cut_steps:
        return Refusal("the step was cut at the token limit")
    schema: tuple[Check, ...] = (_SCHEMA,) if task.tools else ()
    own: tuple[Check, ...] = (EnvironmentCheck(), *schema)
    ruled = checks_of_rules(options.checks, task)
    try:
        if not any(_reject(task, failing, checks) for checks in (own, ruled)):
            return Refusal("the checks accept the failing step")
    except EnvironmentFailedError as error:
        return _not_run(error)
    return _named(_with(task, (*own, *ruled)))


def _prove(task: Task, *, own: tuple[Check, ...], ruled: tuple[Check, ...]) -> Task | Refusal:
    """The task with its own checks and those of the team's rules, or why they are not sound.

    The rules' commands and judges are asked last, and only where that can change anything.
    """
    if not own and not ruled:
        return Refusal("a correction in words leaves nothing to check")
    if own and checks_failed_by_reference(_with(task, own)):
        return Refusal("the checks reject the reference")
    if ruled and (failed := checks_failed_by_reference(_with(task, ruled))):
        return Refusal(f"the team's check {failed[0].check!r} rejects the reference")
    failing = task.failing
    if failing is not None and not any(_reject(task, failing, some) for some in (own, ruled)):
        return Refusal("the checks accept the failing step")
    return _named(_with(task, (*own, *ruled)))


def _with(task: Task, checks: tuple[Check, ...]) -> Task:
    return task.model_copy(update={"checks": checks})


def _reject(task: Task, failing: Message, checks: tuple[Check, ...]) -> bool:
    return bool(checks) and reward_of(_with(task, checks), failing) < FULL


def _not_run(error: EnvironmentFailedError) -> Refusal:
    if isinstance(error, CheckNotRunError):
        return Refusal(CHECK_NOT_RUN)
    return Refusal(ENVIRONMENT_FAILED)


def _named(task: Task) -> Task:
    """The task under the id of its content."""
    content = task.model_dump(mode="json", exclude={"id"})
    return task.model_copy(update={"id": content_id("task", content)})


def _draft(
    trace: Trace, proposal: Proposal, options: CurationOptions, failure_mode: str | None
) -> Task:
    """The task before its checks are chosen and its id is made."""
    is_failure = proposal.origin != "production"
    group = group_of(trace)
    calls = proposal.reference.tool_calls
    environment = _environment(trace, options)
    return Task(
        id="",
        prompt=trace.messages[: proposal.step],
        tools=trace.tools,
        environment=environment,
        checks=(),
        max_steps=options.replay_steps if _is_replay(environment) else 1,
        reference=proposal.reference,
        reference_origin=proposal.origin,
        failing=trace.messages[proposal.step] if is_failure else None,
        failing_model=trace.model if is_failure else None,
        slice=calls[0].name if calls else "answer",
        failure_mode=failure_mode,
        split=split_of(group, seed=options.split_seed, heldout_share=options.heldout_share),
        group=group,
        sources=(TraceRef(trace_id=trace.id, revision=trace.revision),),
        seen_at=trace.ended_at or trace.started_at,
    )


def _environment(trace: Trace, options: CurationOptions) -> EnvironmentRef | None:
    factory, state = options.environment, trace.environment_state
    if factory is not None and (state is not None or not needs_state(factory)):
        return EnvironmentRef(factory=factory, state=state)
    if options.replay_steps > 1 and trace.tools:
        return EnvironmentRef(factory=FACTORY, state=recorded_state(trace))
    return None


def _is_replay(environment: EnvironmentRef | None) -> bool:
    return environment is not None and environment.factory == FACTORY


def _is_judged(task: Task) -> bool:
    """Whether there is an environment whose verdict tells if the request is fulfilled."""
    environment = task.environment
    return (
        environment is not None
        and not _is_replay(environment)
        and gives_verdict(environment.factory)
    )


def _checks(task: Task) -> tuple[Check, ...]:
    """The checks that tell the reference from what failed; none where nothing does."""
    calls = task.reference.tool_calls
    if not calls:
        return _answer_checks(task.reference, task.failing)
    schema: tuple[Check, ...] = (_SCHEMA,) if task.tools else ()
    by_verdict = _with(task, (EnvironmentCheck(),))
    if _is_judged(task) and reward_of(by_verdict, task.reference) >= FULL:
        return (EnvironmentCheck(), *schema)
    wanted = [(call.name, call.parsed()) for call in calls]
    return (
        *(ToolCallCheck(tool=name, arguments=a) for name, a in wanted if a is not None),
        *schema,
    )


def _answer_checks(reference: Message, failing: Message | None) -> tuple[Check, ...]:
    """An answer in words: that it is one, or which facts it must hold that the failing one lacks."""
    if failing is None or failing.tool_calls:
        return (AnswerCheck(contains=""),)
    return tuple(AnswerCheck(contains=fact) for fact in _new_facts(reference, failing))


def _new_facts(reference: Message, failing: Message) -> Sequence[str]:
    """What holds a digit in the reference and is not said in the failing answer."""
    said = words_of(failing.content)
    facts = (fact.strip(".,;:!?()\"'") for fact in _FACT.findall(words_of(reference.content)))
    return [fact for fact in dict.fromkeys(facts) if fact not in said]
