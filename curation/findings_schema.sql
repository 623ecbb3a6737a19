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
    signature        VARCHAR NOT NULL,   -- what findings of one mode share
    request          VARCHAR             -- its shape, where the claim alone does not tell them apart
);
ALTER TABLE findings ADD COLUMN IF NOT EXISTS request VARCHAR;

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

-- What is each mined trace in figures, for comparing it with its peers?
CREATE TABLE IF NOT EXISTS trace_facts (
    trace_id     VARCHAR NOT NULL,
    started_at   TIMESTAMPTZ NOT NULL,
    night        VARCHAR NOT NULL,     -- ISO date of started_at, UTC
    agent        VARCHAR NOT NULL,
    model        VARCHAR NOT NULL,     -- name@version
    task         VARCHAR,
    has_passed   BOOLEAN,              -- by its own reward or feedback; NULL: neither says
    met_outage   BOOLEAN NOT NULL,     -- it is then no evidence about the agent
    toolset      VARCHAR NOT NULL,     -- fingerprint of the tools offered
    steps        INTEGER NOT NULL,     -- assistant messages
    tokens       BIGINT,
    cost_usd     DOUBLE,
    seconds      DOUBLE,
    unseen_share DOUBLE                -- of the request's words, those no earlier request had; NULL: too few to say
);

-- Which tools was each agent ever offered together, with their schemas, and which trace was first?
CREATE TABLE IF NOT EXISTS toolsets (
    agent      VARCHAR NOT NULL,
    toolset    VARCHAR NOT NULL,
    trace_id   VARCHAR NOT NULL,       -- '' where that trace is forgotten
    started_at TIMESTAMPTZ NOT NULL,
    tool       VARCHAR NOT NULL,
    schema     VARCHAR NOT NULL
);

-- Which words have requests to each agent used, and which trace was first?
CREATE TABLE IF NOT EXISTS known_words (
    agent    VARCHAR NOT NULL,
    word     VARCHAR NOT NULL,
    trace_id VARCHAR NOT NULL
);

-- In how many traces was each mode seen, by night and model? Counted again for the nights that mining touched.
CREATE TABLE IF NOT EXISTS mode_nights (
    mode   VARCHAR NOT NULL,
    agent  VARCHAR NOT NULL,
    night  VARCHAR NOT NULL,           -- ISO date, UTC
    model  VARCHAR NOT NULL,
    traces BIGINT NOT NULL
);

-- How many traces were there, by night and model: all, and without an outage?
CREATE TABLE IF NOT EXISTS night_counts (
    agent  VARCHAR NOT NULL,
    night  VARCHAR NOT NULL,
    model  VARCHAR NOT NULL,
    traces BIGINT NOT NULL,
    sound  BIGINT NOT NULL
);

-- What did drafting make of each trace when it last read it?
CREATE TABLE IF NOT EXISTS drafts (
    trace_id      VARCHAR NOT NULL,
    changed_at    BIGINT NOT NULL,     -- the commit that had left the trace
    findings      UBIGINT NOT NULL,    -- fingerprint of what had been found in it
    rules         VARCHAR NOT NULL,    -- fingerprint of the settings and of the code
    user_id       VARCHAR,             -- its own, else that of another trace of its session
    is_settled    BOOLEAN NOT NULL,    -- false: its environment failed, and is asked again
    ignored       VARCHAR[] NOT NULL,  -- feedback beyond a user's daily cap
    refused       VARCHAR[] NOT NULL,  -- why something came to nothing, one for each
    topics        VARCHAR[] NOT NULL,  -- where on the wire it came from; these four go together
    partitions    INTEGER[] NOT NULL,
    first_offsets BIGINT[] NOT NULL,
    last_offsets  BIGINT[] NOT NULL
);

ALTER TABLE drafts ADD COLUMN IF NOT EXISTS user_id VARCHAR;

-- Which tasks did it yield? The first columns say what selection asks of all tasks.
CREATE TABLE IF NOT EXISTS drafted_tasks (
    trace_id         VARCHAR NOT NULL,
    id               VARCHAR NOT NULL,
    prompt           VARCHAR NOT NULL, -- equal for conversations that say the same
    is_failure       BOOLEAN NOT NULL,
    has_no_reference BOOLEAN NOT NULL, -- a try of the champion may give one
    is_whole_episode BOOLEAN NOT NULL,
    split            VARCHAR NOT NULL,
    "group"          VARCHAR NOT NULL,
    tenant           VARCHAR,
    slice            VARCHAR NOT NULL,
    seen_at          TIMESTAMPTZ NOT NULL,
    body             BLOB NOT NULL     -- the task as JSON; zstd-compressed
);

-- Which judgements that no pair can be made of?
CREATE TABLE IF NOT EXISTS drafted_judgements (
    trace_id VARCHAR NOT NULL,
    id       VARCHAR NOT NULL,
    "group"  VARCHAR NOT NULL,
    tenant   VARCHAR,
    seen_at  TIMESTAMPTZ NOT NULL,
    body     BLOB NOT NULL             -- the row as JSON; zstd-compressed
);

-- What did each trace of the training side say after which prefix, and did it pass?
CREATE TABLE IF NOT EXISTS drafted_branches (
    trace_id   VARCHAR NOT NULL,
    step       INTEGER NOT NULL,
    prefix     UBIGINT NOT NULL,       -- equal where world, tools and messages up to the step are
    said       UBIGINT NOT NULL,       -- equal where the same was said
    has_calls  BOOLEAN NOT NULL,
    has_words  BOOLEAN NOT NULL,
    has_passed BOOLEAN NOT NULL,
    model      VARCHAR NOT NULL
);

-- How did the champion do when it was tried on its failures?
CREATE TABLE IF NOT EXISTS champion_tries (
    trace_id VARCHAR NOT NULL,
    task_id  VARCHAR NOT NULL,
    tried_by VARCHAR NOT NULL,         -- fingerprint of the champion, of how it was asked and of the code
    body     BLOB NOT NULL             -- the rollout as JSON; zstd-compressed
);
