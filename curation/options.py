"""How curation drafts tasks and splits them; the settings compose it."""

from pydantic import Field, field_validator

from tracemill.curation.check_rules import CheckRule
from tracemill.curation.mcp_address import PREFIX as MCP_PREFIX
from tracemill.curation.mcp_address import parse_address
from tracemill.curation.policy import PolicyRule
from tracemill.curation.trace_judge import TraceJudge
from tracemill.record import Record


class CurationOptions(Record):
    """How tasks and rows are made of findings."""

    environment: str | None = None
    """`module:callable` of the team's own environment, its http address (see
    `http_environment.py`), or an MCP server's, as "mcp+http://127.0.0.1:8000/mcp#reset=TOOL&verdict=TOOL"
    or "mcp+stdio:command#…" (see `mcp_address.py`); None: tasks are judged by their calls."""
    replay_steps: int = Field(default=1, ge=1)
    """Assistant messages that a rollout may take where there is no environment. Beyond 1 the tools
    answer as they did in the trace, and a call that was never recorded makes it unscorable."""
    whole_episodes: bool = False
    """Whether requests that were fulfilled at once become tasks from the request to its end too;
    only where there is an environment."""
    episode_steps: int = Field(default=8, ge=1)
    """Assistant messages that a rollout of a whole episode may take."""
    outside_version: str = ""
    """Of what cannot be seen from here: an environment behind an address, a command, a judge. Write
    another when it changes, and all tasks are proved again."""
    heldout_share: float = Field(default=0.3, gt=0, lt=1)
    """Share of the groups (users, else sessions, else tasks) whose tasks only the suite sees."""
    split_seed: int = 0
    heldout_days: int = Field(default=0, ge=0)
    """Latest days of which only the suite has tasks, so that they are newer than any training row;
    0: both sides are of all days."""
    heldout_modes: tuple[str, ...] = ()
    """Ids of failure modes that no training row may show, so that the suite tells whether a repair
    carries over to them."""
    max_failures_per_trace: int = Field(default=3, ge=1)
    max_healthy_per_trace: int = Field(default=2, ge=0)
    """Decisions of one passing trace that become replay."""
    max_healthy_per_slice: int = Field(default=100, ge=0)
    """Healthy tasks kept on each side of the split for each kind of request, the latest first."""
    max_healthy_per_group: int = Field(default=50, ge=0)
    """Healthy tasks of one user (session, task), the latest first."""
    max_failures_per_group: int = Field(default=50, ge=1)
    """Failing tasks that one user (session, task) may put on its side, the latest first."""
    max_healthy_per_tenant: int = Field(default=500, ge=0)
    """Healthy tasks of all users of one tenant, where traces name one, the latest first."""
    max_failures_per_tenant: int = Field(default=500, ge=1)
    """Failing tasks that all users of one tenant may put on one side, the latest first."""
    max_judgements_per_group: int = Field(default=50, ge=0)
    """Judgements without a pair of one user (session, task) that become rows, the latest first."""
    max_judgements_per_tenant: int = Field(default=500, ge=0)
    """The same of all users of one tenant."""
    needs_equal_form: bool = True
    """Whether pairs are refused in which only one side speaks before it calls: they would teach
    the form of a call, not its content."""
    may_models_differ: bool = False
    """Whether a passing and a failing trace of different models may make a pair: models differ in
    the form of their calls, and such a pair teaches that too."""
    tries: int = Field(default=4, ge=0)
    """How often the champion is tried on each failing task of the training side; 0: not at all."""
    try_temperature: float = Field(default=0.7, gt=0)
    always_solved_share: float = Field(default=0.0, ge=0, le=1)
    """Share kept of the failing tasks that the champion solves in every try: it failed by chance."""
    never_solved_share: float = Field(default=1.0, ge=0, le=1)
    """Share kept of those that it solves in none: they teach by their reference, not by reward."""
    near_duplicate: float = Field(default=0.9, gt=0, le=1)
    """Jaccard similarity of their words from which two conversations are nearly the same."""
    max_feedback_per_user_day: int = Field(default=20, ge=1)
    """Judgements of one user in one day that may become references; the others are ignored."""
    policy: tuple[PolicyRule, ...] = ()
    """The team's own rules for its agent; breaking one is a finding."""
    trace_judge: TraceJudge | None = None
    """A language model that reads each new trace by a rubric, in a section [curation.trace_judge]
    with `rubric`, `url` and `model`; None: none does."""
    embeddings: str | None = None
    """Folder or name of a sentence-transformers model by which findings are grouped into failure
    modes (the extra `embeddings`); None: by their words. Modes that are known keep their ids."""
    embeddings_near: float = Field(default=0.6, gt=0, lt=1)
    """Cosine of the embeddings of two requests from which they are one kind; it is the model's own
    scale. Two claims are one weakness from halfway between it and 1."""
    checks: tuple[CheckRule, ...] = ()
    """Checks that drafted tasks get besides their own, each a [[curation.checks]] with a `kind`:
    command, judge, answer, final_answer, limit or no_error (see `check_rules.py`)."""

    @field_validator("environment")
    @classmethod
    def _names_an_environment(cls, environment: str | None) -> str | None:
        if environment is not None and environment.startswith(MCP_PREFIX):
            parse_address(environment)
        return environment
