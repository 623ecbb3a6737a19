from collections import Counter
from pathlib import Path

from tests.curation.conversations import DAY
from tests.curation.kept import keep
from tests.curation.test_kept_drafts import on_the_wire
from tracemill.curation.dataset import freeze
from tracemill.curation.draft import draft
from tracemill.curation.funnel import funnel_of
from tracemill.curation.mine import mine
from tracemill.curation.options import CurationOptions
from tracemill.curation.row_building import rows_of
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Trace

OPTIONS = CurationOptions(may_models_differ=True)


def test_every_loss_of_a_night_stands_at_one_stage_and_each_stage_adds_up(
    tmp_path: Path, agentdojo: list[Trace]
) -> None:
    with Store(tmp_path / "store.duckdb") as store:
        keep(store, on_the_wire(agentdojo[:300]))
        mine(store, now=DAY)
        drafted = draft(store, OPTIONS)
        drafted_tasks = store.execute("SELECT count(*) FROM drafted_tasks")[0][0]
    rows = rows_of(drafted, OPTIONS)
    manifest = freeze(drafted, rows, folder=tmp_path, options=OPTIONS, now=DAY).manifest

    stages = {stage.name: stage for stage in funnel_of(manifest, {"no JSON": 3})}

    losses: Counter[str] = Counter()
    for stage in stages.values():
        losses.update(stage.losses)
    assert losses == {**manifest.refused, "no JSON": 3}
    spoiled = stages["traces"].losses
    assert stages["traces that may teach"].total == 300 - sum(spoiled.values()) < 300
    assert stages["sound tasks"].total == drafted_tasks
    assert stages["tasks kept"].total == len(drafted.tasks)
    assert stages["records of the traces, on the wire"].losses == {"no JSON": 3}
