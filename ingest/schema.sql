-- What does the store of ingest hold? Whole traces, their spans, feedback, dead letters, offsets.
-- Bodies are zstd-compressed by us: DuckDB need not try at each checkpoint what it could gain.
-- No secondary indexes: the primary keys are the only ones (upserts beside others have broken).

CREATE TABLE IF NOT EXISTS trace_rows (
    id            VARCHAR PRIMARY KEY,
    revision      INTEGER NOT NULL,
    changed_at    BIGINT NOT NULL,      -- the commit that last wrote it, or what is joined to it; less than 0
                                        -- of a trace that is still open, ready-made: its batch, negated
    started_at    TIMESTAMPTZ NOT NULL,
    session_id    VARCHAR,
    user_id       VARCHAR,
    model_name    VARCHAR NOT NULL,
    model_version VARCHAR,
    dialect       VARCHAR NOT NULL,
    content_hash  VARCHAR NOT NULL,     -- of what makes it another revision
    aliases       VARCHAR[] NOT NULL,   -- other ids by which feedback may name it
    body          BLOB NOT NULL USING COMPRESSION Uncompressed  -- the trace as JSON, without feedback; zstd-compressed
);

-- Those that are closed: what all but ingest means by a trace.
CREATE VIEW IF NOT EXISTS traces AS SELECT * FROM trace_rows WHERE changed_at > 0;

-- One row: the last number that a commit took. It grows by one with each that writes a trace.
CREATE TABLE IF NOT EXISTS changes (last_change BIGINT NOT NULL);
INSERT INTO changes SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM changes);

-- All that was ever said, in order of arrival; the last saying of an id is the one in force.
CREATE TABLE IF NOT EXISTS feedback (
    id         VARCHAR NOT NULL,
    target     VARCHAR NOT NULL,
    trace_id   VARCHAR,                 -- NULL until the trace is there
    arrival    BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    retracted  BOOLEAN NOT NULL,
    body       VARCHAR NOT NULL
);

-- Numbers batches: their fragments lie together, and are found without a look at all others.
CREATE SEQUENCE IF NOT EXISTS batches;

-- Spans as they came, one row for those of one trace in one batch.
CREATE TABLE IF NOT EXISTS fragments (
    batch        BIGINT NOT NULL,
    trace_id     VARCHAR NOT NULL,
    topic        VARCHAR NOT NULL,
    "partition"  INTEGER NOT NULL,
    first_offset BIGINT NOT NULL,
    last_offset  BIGINT NOT NULL,
    spans        INTEGER NOT NULL,
    body         BLOB NOT NULL USING COMPRESSION Uncompressed  -- zstd-compressed JSON
);

-- How far had batches come at some times? So that old ones are found without a time in each.
CREATE TABLE IF NOT EXISTS batch_marks (marked_at TIMESTAMPTZ NOT NULL, batch BIGINT NOT NULL);

-- Traces whose spans are not kept any more: what still comes of them is too late.
CREATE TABLE IF NOT EXISTS closed_long_ago (trace_id VARCHAR NOT NULL, closed_by TIMESTAMPTZ NOT NULL);

-- Traces that wait for more spans. Times are of the records (ms), so that a replay closes alike.
CREATE TABLE IF NOT EXISTS open_traces (
    trace_id      VARCHAR PRIMARY KEY,
    topic         VARCHAR NOT NULL,
    first_arrival BIGINT NOT NULL,
    last_arrival  BIGINT NOT NULL,
    has_root      BOOLEAN NOT NULL,
    spans         BIGINT NOT NULL,
    first_batch   BIGINT NOT NULL,      -- 0 of a trace that was closed before
    last_batch    BIGINT NOT NULL
);

-- How far each partition (or file) was read.
CREATE TABLE IF NOT EXISTS offsets (
    topic       VARCHAR NOT NULL,
    "partition" INTEGER NOT NULL,
    next_offset BIGINT NOT NULL,
    PRIMARY KEY (topic, "partition")
);

-- What could not become a trace, with its redacted bytes.
CREATE TABLE IF NOT EXISTS dead_letters (
    id            VARCHAR PRIMARY KEY,  -- of topic, partition, offset and path
    topic         VARCHAR NOT NULL,
    "partition"   INTEGER NOT NULL,
    "offset"      BIGINT NOT NULL,
    path          VARCHAR NOT NULL,     -- place within the record; '' is the whole record
    reject_class  VARCHAR NOT NULL,
    reason        VARCHAR NOT NULL,
    decoder       VARCHAR NOT NULL,
    recorded_at   TIMESTAMPTZ NOT NULL,
    timestamp_ms  BIGINT NOT NULL,
    record_key    BLOB,
    headers       VARCHAR NOT NULL,
    record_value  BLOB,
    value_bytes   BIGINT NOT NULL,      -- of the value as it came, redacted or cut since
    value_sha256  VARCHAR NOT NULL,
    attempts      INTEGER NOT NULL,     -- how often it was tried
    replayed_at   TIMESTAMPTZ,          -- when it became a trace after all
    mirrored_at   TIMESTAMPTZ           -- when it was sent to a topic of dead letters
);

-- Records that were gone, or that another topic of the same name hid, before they were read.
CREATE TABLE IF NOT EXISTS data_losses (
    topic       VARCHAR NOT NULL,
    "partition" INTEGER NOT NULL,
    wanted      BIGINT NOT NULL,        -- offset that was to be read next
    read_from   BIGINT NOT NULL,        -- offset that was read instead
    records     BIGINT NOT NULL,        -- how many are known to be lost; 0 where nobody knows
    reason      VARCHAR NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL
);

-- Which decoder read how many records of each partition?
CREATE TABLE IF NOT EXISTS decoders_used (
    topic       VARCHAR NOT NULL,
    "partition" INTEGER NOT NULL,
    decoder     VARCHAR NOT NULL,
    records     BIGINT NOT NULL,
    PRIMARY KEY (topic, "partition", decoder)
);

-- Who asked to be forgotten, under the pseudonym: nothing of them is written again.
CREATE TABLE IF NOT EXISTS forgotten_users (
    user_id      VARCHAR PRIMARY KEY,
    forgotten_at TIMESTAMPTZ NOT NULL
);

-- By which ids may a late span or a judgement name a trace of theirs? Digests; the ids are gone.
CREATE TABLE IF NOT EXISTS forgotten_names (
    digest  VARCHAR NOT NULL,           -- sha256 of the id of a trace, span, response or session
    user_id VARCHAR NOT NULL
);
