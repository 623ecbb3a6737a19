from pathlib import Path

from tests.deploy.rounds import dataset_of
from tracemill.deploy.lineage import Lineage, merge_ranges, trace_lineage
from tracemill.ingest.trace import SourceRange


def test_rows_are_counted_by_kind_and_origin(tmp_path: Path) -> None:
    lineage = trace_lineage(dataset_of(tmp_path / "data"))

    rows = [(row.kind, row.origin, row.rows) for row in lineage.rows]
    assert rows == [
        ("example", "correction", 2),
        ("pair", "correction", 1),
        ("replay", "production", 1),
    ]
    assert (lineage.tasks, lineage.traces) == (3, 3)
    assert lineage.refused == {"no verified reference": 4}
    assert Lineage.from_json(lineage.to_json()) == lineage


def test_a_mode_without_a_name_is_called_by_its_id(tmp_path: Path) -> None:
    (mode,) = trace_lineage(dataset_of(tmp_path / "data")).modes

    assert (mode.mode, mode.name, mode.tasks) == ("mode-1", "mode-1", 2)


def test_ranges_of_one_partition_become_one() -> None:
    ranges = [
        SourceRange(topic="b", partition=1, first_offset=4, last_offset=9),
        SourceRange(topic="a", partition=0, first_offset=7, last_offset=7),
        SourceRange(topic="b", partition=1, first_offset=0, last_offset=3),
    ]

    merged = [(r.topic, r.partition, r.first_offset, r.last_offset) for r in merge_ranges(ranges)]

    assert merged == [("a", 0, 7, 7), ("b", 1, 0, 9)]
