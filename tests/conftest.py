"""What several stages' tests share."""

import os
import tempfile
from pathlib import Path

import hypothesis
import pytest

# One thread for each test process: two spinning OpenMP pools on two cores are tenfold slower.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("DO_NOT_TRACK", "true")
os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")

# Prefect reads its home when it is imported: a folder of this run, never the user's.
_PREFECT_HOME = tempfile.TemporaryDirectory(prefix="tracemill-prefect-")
os.environ["PREFECT_HOME"] = _PREFECT_HOME.name
os.environ["PREFECT_LOGGING_LEVEL"] = "ERROR"
os.environ["PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS"] = "90"

# No test measures time. In a new checkout the first text takes seconds: its tables are made then.
hypothesis.settings.register_profile(
    "untimed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("untimed")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def real_traces() -> Path:
    """Traces that others recorded, beside the checkout of those who have them."""
    folder = Path(os.environ.get("REAL_TRACES", ROOT.parent / "shared" / "traces"))
    if not folder.is_dir():
        pytest.skip(f"no recorded traces at {folder}: set REAL_TRACES to a folder of them")
    return folder
