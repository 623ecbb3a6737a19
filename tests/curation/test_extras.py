"""Without an extra, what needs it says which; all else can be imported."""

import subprocess
import sys

import pytest

WITHOUT = """
import sys
sys.modules[{library!r}] = None  # Python's own way to say that it cannot be imported
import tracemill.cli.app, tracemill.flows.improve
from tracemill.curation.environment import load_environment
from tracemill.curation.nearness import nearness_of
from tracemill.errors import TracemillError
try:
    {use}
except TracemillError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("library", "use", "extra"),
    [
        ("mcp", "load_environment('mcp+stdio:desk')", "mcp"),
        ("sentence_transformers", "nearness_of('encoder', near=0.6)", "embeddings"),
    ],
)
def test_what_needs_an_extra_that_is_not_there_names_it(library: str, use: str, extra: str) -> None:
    code = WITHOUT.format(library=library, use=use)

    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert f"pip install 'tracemill[{extra}]'" in said.stdout
