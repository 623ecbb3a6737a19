"""The demo: `make demo` runs the whole loop on this machine, and says what it measured.

Libraries read the environment when they are imported, so it is set here before anything else is.
"""

import os
import sys
from pathlib import Path

from examples.support_desk.places import HERE, PREFECT_HOME, STATE


def main() -> None:
    """Run the demo; exit 1 with one sentence where it cannot."""
    prepare_environment()
    from examples.support_desk.night_and_day import run
    from tracemill.errors import TracemillError

    try:
        run()
    except TracemillError as error:
        sys.exit(f"Error: {error}")


def prepare_environment() -> None:
    """Keep all that libraries write inside the project, and their chatter off the screen."""
    os.environ.pop("PREFECT_API_URL", None)
    os.environ.update(
        PREFECT_HOME=str(PREFECT_HOME),
        PREFECT_LOGGING_LEVEL="ERROR",
        PREFECT_SERVER_ANALYTICS_ENABLED="false",
        PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS="120",
        MLFLOW_DISABLE_TELEMETRY="true",
        MLFLOW_LOGGING_LEVEL="WARNING",
        DO_NOT_TRACK="true",
        HF_HUB_OFFLINE="1",
        HF_HUB_DISABLE_PROGRESS_BARS="1",
        HF_HOME=str(STATE / "huggingface"),
        MPLCONFIGDIR=str(STATE / "matplotlib"),
        TOKENIZERS_PARALLELISM="false",
        # Threads that wait by spinning make two processes on two cores many times slower.
        OMP_WAIT_POLICY="PASSIVE",
    )
    os.chdir(HERE.parent.parent)
    Path(STATE).mkdir(parents=True, exist_ok=True)


if __name__ == "__main__":
    main()
