"""The part of the build that pyproject.toml cannot say: what of ingest is compiled.

`TRACEMILL_COMPILED=1 pip wheel …` (that is `make wheel`) compiles, with mypyc, the modules that run
for each span. They stay plain Python: without the variable, and so in every checkout, nothing is
compiled, and both pass the same tests (`make test-wheel`).
"""

import os
import sys
from glob import glob

from setuptools import setup

INGEST = "src/tracemill/ingest"
FOR_EACH_SPAN = (
    "fragments", "linking", "message_parts", "messages", "model_calls", "nesting", "prepared",
    "ready_traces", "rebuild", "redact", "redaction_checks", "span", "sub_agents", "times", "tools",
    "trace_rows", "transcript", "tree",
)  # fmt: skip
"""Modules of ingest beside its decoders and dialects. Not those of records, which pydantic makes."""


def _modules() -> list[str]:
    named = [f"{INGEST}/{name}.py" for name in FOR_EACH_SPAN]
    return sorted(
        [*named, *glob(f"{INGEST}/decoders/[a-z]*.py"), *glob(f"{INGEST}/dialects/[a-z]*.py")]
    )


def _compiled() -> list[object]:
    if "editable_wheel" in sys.argv:
        raise SystemExit("TRACEMILL_COMPILED=1 with pip install -e: it would hide later edits.")
    try:
        from mypyc.build import mypycify
    except ImportError as error:
        raise SystemExit(
            "TRACEMILL_COMPILED=1 needs mypy, and pip's --no-build-isolation: see `make wheel`."
        ) from error
    return list(mypycify(_modules(), opt_level="3", debug_level="0"))


setup(ext_modules=_compiled() if os.environ.get("TRACEMILL_COMPILED") == "1" else [])
