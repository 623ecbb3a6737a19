"""The detectors: over each trace by itself, then over the store, beside other traces.

A team adds its own with one file and one row here. A version is raised with any change to what
is found; the store's traces are then read again by that detector alone.
"""

from tracemill.curation.detectors.asked_again import find_asked_again
from tracemill.curation.detectors.bad_feedback import find_bad_feedback
from tracemill.curation.detectors.broken_schema import find_broken_schemas
from tracemill.curation.detectors.changed_schema import find_changed_schemas
from tracemill.curation.detectors.empty_answer import find_empty_answers
from tracemill.curation.detectors.injected_instruction import find_injected_instructions
from tracemill.curation.detectors.loop import find_loops
from tracemill.curation.detectors.low_reward import find_low_rewards
from tracemill.curation.detectors.malformed_arguments import find_malformed_arguments
from tracemill.curation.detectors.missing_call import find_missing_calls
from tracemill.curation.detectors.new_error import find_new_errors
from tracemill.curation.detectors.new_tool import find_new_tools
from tracemill.curation.detectors.no_progress import find_no_progress
from tracemill.curation.detectors.novel_request import find_novel_requests
from tracemill.curation.detectors.outage import find_outages
from tracemill.curation.detectors.outlier import (
    find_cost_outliers,
    find_latency_outliers,
    find_step_outliers,
)
from tracemill.curation.detectors.reading import Detector, StoreDetector
from tracemill.curation.detectors.recovery import find_recoveries
from tracemill.curation.detectors.refused import find_refusals
from tracemill.curation.detectors.repeated_call import find_repeated_calls
from tracemill.curation.detectors.tool_error import find_tool_errors
from tracemill.curation.detectors.truncated import find_truncated
from tracemill.curation.detectors.unexpected_call import find_unexpected_calls
from tracemill.curation.detectors.unknown_tool import find_unknown_tools
from tracemill.curation.detectors.user_correction import find_user_corrections

# fmt: off
DETECTORS: tuple[Detector, ...] = (
    #        name                 version  kind        severity  judges     find, and whether by request
    Detector("outage",                 2, "infrastructure", 0.5, "step",    find_outages),
    Detector("tool error",             1, "agent",          0.6, "step",    find_tool_errors),
    Detector("malformed arguments",    1, "agent",          0.8, "step",    find_malformed_arguments),
    Detector("unknown tool",           1, "agent",          0.8, "step",    find_unknown_tools),
    Detector("broken schema",          1, "agent",          0.8, "step",    find_broken_schemas),
    Detector("repeated call",          1, "agent",          0.3, "step",    find_repeated_calls),
    Detector("truncated",              1, "edge case",      0.3, "step",    find_truncated),
    Detector("empty answer",           2, "agent",          0.9, "step",    find_empty_answers, True),
    Detector("missing call",           2, "agent",          0.9, "outcome", find_missing_calls, True),
    Detector("unexpected call",        1, "agent",          0.9, "outcome", find_unexpected_calls),
    Detector("bad feedback",           2, "agent",          0.8, "outcome", find_bad_feedback, True),
    Detector("low reward",             2, "agent",          1.0, "outcome", find_low_rewards, True),
    Detector("loop",                   1, "agent",          0.6, "step",    find_loops),
    Detector("no progress",            1, "agent",          0.5, "step",    find_no_progress),
    Detector("refused",                2, "agent",          0.5, "step",    find_refusals, True),
    Detector("user correction",        2, "agent",          0.5, "outcome", find_user_corrections, True),
    Detector("asked again",            2, "agent",          0.4, "outcome", find_asked_again, True),
    Detector("injected instruction",   1, "edge case",      0.5, "step",    find_injected_instructions),
    Detector("recovery",               1, "edge case",      0.2, "step",    find_recoveries),
)

STORE_DETECTORS: tuple[StoreDetector, ...] = (
    #             name                 version  kind   severity  find
    StoreDetector("step outlier",           1, "edge case", 0.3, find_step_outliers),
    StoreDetector("cost outlier",           1, "edge case", 0.3, find_cost_outliers),
    StoreDetector("latency outlier",        1, "edge case", 0.3, find_latency_outliers),
    StoreDetector("new tool",               1, "drift",     0.2, find_new_tools),
    StoreDetector("changed schema",         1, "drift",     0.4, find_changed_schemas),
    StoreDetector("new error",              1, "drift",     0.4, find_new_errors),
    StoreDetector("novel request",          1, "edge case", 0.2, find_novel_requests),
)
# fmt: on
