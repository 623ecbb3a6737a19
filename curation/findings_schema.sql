-- What does the store of curation hold? Findings, the modes they belong to, how far was mined.
-- No primary keys: rows are deleted and appended by the thousand, and an index would grow with them.

CREATE TABLE IF NOT EXISTS findings (
    id               VARCHAR NOT NULL,
    detector         VARCHAR NOT NULL,
    detector_version INTEGER NOT NULL,
    trace_id         VARCHAR NOT NULL,
    revision         INTEGER NOT NULL,
    step             INTEGER,
    claim            VARCHAR NOT NULL,
    evidence         VARCHAR NOT NULL,
    severity         DOUBLE NOT NULL,
    kind             VARCHAR NOT NULL,
    tool             VARCHAR,
    model_name       VARCHAR NOT NULL,
    model_version    VARCHAR,
    agent            VARCHAR NOT NULL,
    seen_at          TIMESTAMPTZ NOT NULL,
    signature        VARCHAR NOT NULL    -- what findings of one mode share
);

-- Which signature belongs to which mode; once written it stays, so that ids outlive nights.
CREATE TABLE IF NOT EXISTS mode_signatures (
    signature VARCHAR NOT NULL,
    mode      VARCHAR NOT NULL,
    detector  VARCHAR NOT NULL,
    tool      VARCHAR,
    kind      VARCHAR NOT NULL,
    shape     VARCHAR NOT NULL
);

-- Up to which commit of ingest has each detector read?
CREATE TABLE IF NOT EXISTS mining_progress (
    detector   VARCHAR NOT NULL,
    version    INTEGER NOT NULL,
    changed_at BIGINT NOT NULL
);
