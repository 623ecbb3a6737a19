"""The detectors that run over every trace. A team adds its own with one file and one row."""

from tracemill.curation.detectors.bad_feedback import find_bad_feedback
from tracemill.curation.detectors.broken_schema import find_broken_schemas
from tracemill.curation.detectors.empty_answer import find_empty_answers
from tracemill.curation.detectors.low_reward import find_low_rewards
from tracemill.curation.detectors.malformed_arguments import find_malformed_arguments
from tracemill.curation.detectors.missing_call import find_missing_calls
from tracemill.curation.detectors.outage import find_outages
from tracemill.curation.detectors.reading import Detector
from tracemill.curation.detectors.recovery import find_recoveries
from tracemill.curation.detectors.repeated_call import find_repeated_calls
from tracemill.curation.detectors.tool_error import find_tool_errors
from tracemill.curation.detectors.truncated import find_truncated
from tracemill.curation.detectors.unexpected_call import find_unexpected_calls
from tracemill.curation.detectors.unknown_tool import find_unknown_tools

# fmt: off
DETECTORS: tuple[Detector, ...] = (
    #        name                 version  kind        severity  judges     find
    Detector("outage",                 1, "infrastructure", 0.5, "step",    find_outages),
    Detector("tool error",             1, "agent",          0.6, "step",    find_tool_errors),
    Detector("malformed arguments",    1, "agent",          0.8, "step",    find_malformed_arguments),
    Detector("unknown tool",           1, "agent",          0.8, "step",    find_unknown_tools),
    Detector("broken schema",          1, "agent",          0.8, "step",    find_broken_schemas),
    Detector("repeated call",          1, "agent",          0.3, "step",    find_repeated_calls),
    Detector("truncated",              1, "edge case",      0.3, "step",    find_truncated),
    Detector("empty answer",           1, "agent",          0.9, "step",    find_empty_answers),
    Detector("missing call",           1, "agent",          0.9, "outcome", find_missing_calls),
    Detector("unexpected call",        1, "agent",          0.9, "outcome", find_unexpected_calls),
    Detector("bad feedback",           1, "agent",          0.8, "outcome", find_bad_feedback),
    Detector("low reward",             1, "agent",          1.0, "outcome", find_low_rewards),
    Detector("recovery",               1, "edge case",      0.2, "step",    find_recoveries),
)
# fmt: on
