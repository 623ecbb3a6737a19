"""Drafting rules: a fingerprint of all that decides what a trace yields, beside the trace itself.

What was drafted by the same rules need not be drafted again. They are the settings that drafting
looks at, this program's own code, and the code of the team's environment where it is at hand;
what stands behind an address, a command or a judge cannot be seen from here: its version is a
setting (`outside_version`).
"""

import hashlib
import importlib.util
from pathlib import Path

from tracemill.curation.options import CurationOptions
from tracemill.record import content_id

_OF_SELECTION = {
    "max_healthy_per_slice", "max_healthy_per_group", "max_failures_per_group",
    "max_healthy_per_tenant", "max_failures_per_tenant", "max_judgements_per_group",
    "max_judgements_per_tenant", "needs_equal_form", "may_models_differ", "tries",
    "try_temperature", "always_solved_share", "never_solved_share", "near_duplicate",
    "heldout_days", "heldout_modes", "max_feedback_per_user_day", "policy", "trace_judge",
    "embeddings", "embeddings_near",
}  # fmt: skip
"""Settings that are asked after traces were drafted, or (the last five) that show in what is kept
of each trace: the feedback that was ignored, the findings and their modes."""


def rules_of(options: CurationOptions) -> str:
    """Return the fingerprint; equal where drafting a trace again would yield the same."""
    settings = options.model_dump(mode="json", exclude=_OF_SELECTION)
    return content_id("rules", [settings, code_of(options)])


def code_of(options: CurationOptions) -> str:
    """Return a fingerprint of all code that decides what comes of a task, ours and the team's."""
    curation = Path(__file__).parent
    beside = (curation.parent / "record.py", curation.parent / "ingest" / "trace.py")
    ours = _digest(*sorted(curation.rglob("*.py")), *beside)
    return content_id("code", [ours, _code_of(options.environment), options.outside_version])


def _code_of(factory: str | None) -> str:
    """A hash of the module of the team's environment; empty where it is not at hand."""
    module = (factory or "").partition(":")[0]
    try:
        spec = importlib.util.find_spec(module) if module else None
    except (ImportError, ValueError):
        return ""
    origin = Path(spec.origin) if spec is not None and spec.origin is not None else None
    return _digest(origin) if origin is not None and origin.is_file() else ""


def _digest(*files: Path) -> str:
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
