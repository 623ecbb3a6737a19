"""Where the demo keeps things: all of it in `.tracemill/` at the top of the checkout."""

from pathlib import Path

HERE = Path(__file__).resolve().parent
HOME = HERE.parent.parent / ".tracemill"
STATE = HOME / "support-desk"
"""Of one run; the next one starts anew."""
CACHE = HOME / "cache"
"""The converted model; kept between runs."""
PREFECT_HOME = STATE / "prefect"
SETTINGS = HERE / "tracemill.toml"
