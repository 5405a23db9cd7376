-- Why: the run inspector. Long texts by digest, refused calls as chains, signed checkpoints, and kept
-- states from which any moment of a run or a board is near. Runs get a parent, a title and what they used.

-- Texts too long for their event, once each, under the SHA-256 of the masked text.
CREATE TABLE bodies (
    key    INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    text   TEXT NOT NULL
) STRICT;

CREATE TRIGGER bodies_are_never_changed BEFORE UPDATE ON bodies
BEGIN SELECT raise(ABORT, 'bodies are append-only'); END;

CREATE TRIGGER bodies_are_never_removed BEFORE DELETE ON bodies
BEGIN SELECT raise(ABORT, 'bodies are append-only'); END;

CREATE TABLE runs_new (
    key        INTEGER PRIMARY KEY,
    id         BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    project    INTEGER NOT NULL REFERENCES projects (key),
    parent     INTEGER REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    parent_id  BLOB    CHECK (length(parent_id) = 16),
    actor      TEXT    NOT NULL CHECK (actor IN ('agent', 'person', 'host')),
    name       TEXT    NOT NULL,
    version    TEXT,
    title      TEXT,
    source     TEXT    NOT NULL CHECK (source IN ('bridge', 'session', 'meta', 'unattributed', 'window', 'browser', 'cli', 'import', 'transcript', 'hooks',
                                           'telemetry')),
    status     TEXT    NOT NULL CHECK (status IN ('running', 'completed', 'failed', 'interrupted', 'cancelled', 'budget_exhausted')),
    head_seq   INTEGER NOT NULL,
    head_hash  BLOB    NOT NULL CHECK (length(head_hash) = 32),
    calls      INTEGER NOT NULL DEFAULT 0,
    rejected   INTEGER NOT NULL,
    tokens_in  INTEGER,
    tokens_out INTEGER,
    cost       INTEGER,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER,
    last_at    INTEGER NOT NULL
) STRICT;

INSERT INTO runs_new (key, id, project, actor, name, version, source, status, head_seq, head_hash, calls, rejected,
                      started_at, ended_at, last_at)
SELECT key, id, project, actor, name, version, source, status, head_seq, head_hash, 0, rejected, started_at, ended_at, last_at
FROM runs;

DROP TABLE runs;

ALTER TABLE runs_new RENAME TO runs;

CREATE INDEX runs_by_project ON runs (project, key);

CREATE INDEX runs_by_parent ON runs (parent, key) WHERE parent IS NOT NULL;

-- A sub-run may be known before the run that started it.
CREATE INDEX runs_orphaned ON runs (parent_id) WHERE parent_id IS NOT NULL AND parent IS NULL;

CREATE INDEX runs_running ON runs (last_at) WHERE status = 'running';

-- Runs that were read in from a file: they touch no board, and start with no run_started of ours.
CREATE TABLE imports (
    run     INTEGER PRIMARY KEY REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    id      BLOB    NOT NULL CHECK (length(id) = 16),
    name    TEXT    NOT NULL,
    file    TEXT    NOT NULL,
    chained INTEGER NOT NULL CHECK (chained IN (0, 1)),
    at      INTEGER NOT NULL
) STRICT;

-- A view of the events: tries of one call that was refused, and how they came out.
CREATE TABLE chains (
    run         INTEGER NOT NULL REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    seq         INTEGER NOT NULL,
    project     INTEGER NOT NULL,
    position    INTEGER NOT NULL,
    tool        TEXT    NOT NULL,
    task        INTEGER,
    code        TEXT    NOT NULL,
    state       TEXT    NOT NULL CHECK (state IN ('open', 'repaired', 'gave_up', 'loop')),
    expected    INTEGER NOT NULL CHECK (expected IN (0, 1)),
    tries       INTEGER NOT NULL,
    last_call   INTEGER NOT NULL,
    digest      TEXT    NOT NULL,
    same        INTEGER NOT NULL,
    repaired_by INTEGER,
    first_at    INTEGER NOT NULL,
    last_at     INTEGER NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX chains_unrepaired ON chains (run, seq) WHERE state <> 'repaired';

CREATE INDEX chains_by_task ON chains (project, task) WHERE task IS NOT NULL;

CREATE INDEX chains_by_position ON chains (project, position);

-- A view of the events: which chain a refused call belongs to.
CREATE TABLE refusals (
    run   INTEGER NOT NULL REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    seq   INTEGER NOT NULL,
    chain INTEGER NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX refusals_by_chain ON refusals (run, chain, seq);

-- Signed: the run stood at this hash.
CREATE TABLE checkpoints (
    key  INTEGER PRIMARY KEY,
    run  INTEGER NOT NULL REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    seq  INTEGER NOT NULL CHECK (seq > 0),
    hash BLOB    NOT NULL CHECK (length(hash) = 32),
    at   INTEGER NOT NULL,
    sig  BLOB    NOT NULL CHECK (length(sig) = 64),
    UNIQUE (run, seq)
) STRICT;

CREATE TRIGGER checkpoints_are_never_changed BEFORE UPDATE ON checkpoints
BEGIN SELECT raise(ABORT, 'checkpoints are append-only'); END;

CREATE TRIGGER checkpoints_are_never_removed BEFORE DELETE ON checkpoints
BEGIN SELECT raise(ABORT, 'checkpoints are append-only'); END;

-- What the last check of a run found.
CREATE TABLE checks (
    run       INTEGER PRIMARY KEY REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    seq       INTEGER NOT NULL,
    ok        INTEGER NOT NULL CHECK (ok IN (0, 1)),
    first_bad INTEGER,
    at        INTEGER NOT NULL
) STRICT;

-- Kept states, made from the events and good for nothing without them: the columns of a timeline with
-- what was known of the run at their end, and boards as they were.
CREATE TABLE segments (
    run     INTEGER NOT NULL REFERENCES runs (key) DEFERRABLE INITIALLY DEFERRED,
    first   INTEGER NOT NULL,
    last    INTEGER NOT NULL,
    columns BLOB    NOT NULL,
    facts   BLOB    NOT NULL,
    touched BLOB    NOT NULL,
    PRIMARY KEY (run, first)
) STRICT;

CREATE TABLE keyframes (
    project  INTEGER NOT NULL,
    position INTEGER NOT NULL,
    events   INTEGER NOT NULL,
    board    BLOB    NOT NULL,
    PRIMARY KEY (project, position)
) STRICT;

DROP INDEX events_on_board;

-- What changes a board, and what its strip shows.
CREATE INDEX events_of_board ON events (project, position, kind)
WHERE kind IN ('call_answered', 'call_rejected', 'note', 'rejection_marked', 'run_ended', 'run_resumed', 'run_started',
               'task_created', 'task_deleted', 'task_restored', 'task_updated', 'todo_written');

-- The reads that a stale call rested on.
CREATE INDEX events_of_reads ON events (run, seq) WHERE kind = 'call_answered';
