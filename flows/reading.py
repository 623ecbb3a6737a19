"""Reading: ingest within a flow, with its progress and its counts in Prefect's UI."""

from tracemill.flows import artifacts, console, intake
from tracemill.ingest.run import IngestReport
from tracemill.settings import Settings


def read_and_show(settings: Settings) -> IngestReport:
    """Read the topics until caught up, and show what came, while it comes and at the end."""
    with artifacts.ingest_progress() as show:
        report = console.ingest(settings, also=show)
    artifacts.show_ingest(intake.told(settings, report))
    return report
